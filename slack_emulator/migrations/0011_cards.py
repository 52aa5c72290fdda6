
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('local', '0009_sessions'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='LocalDetails',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('trigger_id', models.CharField(help_text='By which Footnote answers.', max_length=200)),
                ('ref', models.CharField(help_text="The id of the card's external_ref.", max_length=200)),
                ('content', models.JSONField(default=dict, help_text='The metadata of the Work Object, or an error.')),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='local_details', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='LocalUnfurl',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('entities', models.JSONField(help_text='The metadata of a Work Object for each link.')),
                ('message', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='unfurl', to='local.localmessage')),
            ],
        ),
    ]
