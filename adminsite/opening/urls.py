"""Route the pages of opened documents, and the sign-in for them."""

from django.urls import path

from adminsite.opening import views
from adminsite.sign_in.readers import choose, leave
from adminsite.sign_in.single_sign_on import begin_with_slack

urlpatterns = [
    path("citations/<uuid:pk>/", views.open_citation, name="citation"),
    path("citations/<uuid:pk>/text/", views.read_citation, name="citation-text"),
    path("documents/<uuid:pk>/", views.open_document, name="document"),
    path("documents/<uuid:pk>/text/", views.read_document, name="document-text"),
    path("documents/<uuid:pk>/original", views.download, name="document-original"),
    path("sign-in/", choose, name="reader-sign-in"),
    path("sign-in/slack/", begin_with_slack, name="slack-sign-in"),
    path("sign-out/", leave, name="reader-sign-out"),
]
