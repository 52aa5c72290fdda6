"""The form of a data source, made of what its kind asks for."""

from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, Union, get_args, get_origin

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminDateWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminPasswordWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from adminsite.admin.sources.rhythm import EXAMPLES, UnreadableScheduleError, read_schedule, write_schedule
from core.errors import FootnoteError, SourceError
from core.library.sync import credentials
from core.library.sync.connector import Kind
from core.library.sync.probing import ChangesRefusedError, Found, probe
from core.models import DataSource

SETTING, SECRET = "setting_", "secret_"
REMOVAL, UNTESTED = "remove_credentials", "save_untested"
_KEPT = "Kept encrypted and never shown. Leave it empty to keep what is there."
_SECRET_HELP = f"{_KEPT} It is sent to no other server: when the address changes, enter it again."
EVERY_NIGHT = "every day at 02:00"
SCHEDULES = "fn-schedules"  # the id of the examples that the field of the schedule offers


class DataSourceForm(forms.ModelForm):  # type: ignore[type-arg]  # Django's class takes none
    """A data source. The fields for the settings and credentials of a kind are added by `form_for`."""

    kind: Kind
    credentials_were: Literal["none", "unchanged", "entered", "replaced", "removed"] = "none"  # for the audit trail
    destination_changed = False
    always_tests = False  # also what did not change: the button that tests
    found: Found | None = None  # by the test, if there was one and it went well
    refuses_changes = False  # and nothing else was wrong in the test

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.instance._state.adding and "requests_per_minute" in self.fields:
            self.initial.setdefault("requests_per_minute", self.kind.per_minute)
            self.initial.setdefault("schedule", EVERY_NIGHT)
        elif "schedule" in self.fields:
            self.initial["schedule"] = write_schedule(self.instance.schedule)

    class Meta:
        model = DataSource
        fields = (
            "name",
            "collection",
            "document_type",
            "roles",
            "takes_readers",
            "readers_hours",
            "readers_minutes",
            "schedule",
            "is_enabled",
            "requests_per_minute",
            "most_withdrawn_percent",
            "erase_days",
        )
        widgets: ClassVar = {
            "roles": UnfoldAdminCheckboxSelectMultipleWidget,
            "schedule": UnfoldAdminTextInputWidget(attrs={"list": SCHEDULES, "autocomplete": "off"}),
        }
        labels: ClassVar = {"is_enabled": "Read by itself, on schedule"}
        help_texts: ClassVar = {
            "schedule": 'When it is read by itself, such as "every day at 02:00", "every Monday at 03:00" or "every 6 '
            'hours". Times are in UTC. Empty: only when somebody presses Sync now.',
            "is_enabled": "Without it, the source is read only when somebody presses Sync now.",
        }

    def clean_schedule(self) -> str:
        """Return the schedule as cron writes it, or none."""
        try:
            return read_schedule(str(self.cleaned_data["schedule"]))
        except UnreadableScheduleError:
            raise forms.ValidationError(f"Write it like one of these: {'; '.join(EXAMPLES)}.") from None

    def clean(self) -> dict[str, Any]:
        """Judge the settings together by the kind; each problem is shown at its field."""
        cleaned: dict[str, Any] = super().clean() or {}
        refused = set(self.errors)  # said already, and missing among what the kind judges
        try:
            given = self._read_settings(cleaned)
        except ValidationError as error:
            for problem in error.errors():
                name = f"{SETTING}{problem['loc'][0]}" if problem["loc"] else None
                if name not in refused:
                    self.add_error(name if name in self.fields else None, problem["msg"].removeprefix("Value error, "))
            return cleaned
        source = self.instance
        settings_were, secrets_were = source.settings, source.secrets
        try:
            credentials.bind(source)  # while its settings are those of before
            is_bound = True
        except FootnoteError:  # what cannot be read can be entered again
            is_bound = False
        before = self._find_destination()
        source.settings = given.model_dump(mode="json")
        if source._state.adding:
            source.kind = self.kind.name
            if self.kind.named_readers_only:  # the form asks neither this nor for roles
                source.takes_readers = True
        self.destination_changed = not source._state.adding and before != self._find_destination()
        try:
            self._keep_secrets(cleaned, may_read=is_bound or not self.destination_changed)
        except FootnoteError as error:
            self.add_error(None, error.message)
        changed = source._state.adding or (settings_were, secrets_were) != (source.settings, source.secrets)
        if self.always_tests or (changed and not cleaned.get(UNTESTED) and not self.errors):
            self._test_connection()
        return cleaned

    def _test_connection(self) -> None:
        """Ask the source for its first documents, as the first run would, unless its own fields are wrong."""
        if any(name.startswith((SETTING, SECRET)) or name == NON_FIELD_ERRORS for name in self.errors):
            return
        try:
            self.found = probe(self.instance)
        except ChangesRefusedError as error:
            self.refuses_changes = True
            self.add_error(None, f"The source was tried. {error.message}")
        except FootnoteError as error:
            self.add_error(None, f"The source was tried and cannot be read. {error.message}")

    def _find_destination(self) -> dict[str, str] | None:
        """Return where the credentials would be sent; None for earlier settings that are invalid now."""
        try:
            return credentials.find_destination(self.instance)
        except FootnoteError:
            return None

    def _read_settings(self, cleaned: dict[str, Any]) -> BaseModel:
        given = {name.removeprefix(SETTING): value for name, value in cleaned.items() if name.startswith(SETTING)}
        return self.kind.settings.model_validate({name: value for name, value in given.items() if value is not None})

    def _keep_secrets(self, cleaned: dict[str, Any], *, may_read: bool) -> None:
        """Store what was entered. What was left empty stays as it is, unless it was entered for another server.

        may_read: False when it is not known for which server the credentials were entered, and it may be another.
        """
        source, removes = self.instance, bool(cleaned.get(REMOVAL))
        had_any = bool(source.secrets)
        given = {name.removeprefix(SECRET): value for name, value in cleaned.items() if name.startswith(SECRET)}
        entered = {name: value for name, value in given.items() if value}
        held: dict[str, str] = {}
        refusal = "" if may_read else credentials.OtherDestinationError().message
        if had_any and may_read and not removes:
            try:
                held = credentials.read(source)
            except credentials.OtherDestinationError as error:
                refusal = error.message
            except SourceError:  # no key decrypts them: they stay as they are, until they are entered again
                held = {}
        if entered:
            credentials.keep(source, held | entered)
            self.credentials_were = "replaced" if had_any else "entered"
        elif removes:
            source.secrets = ""
            self.credentials_were = "removed"
        elif refusal and had_any:
            self.add_error(f"{SECRET}{next(iter(self.kind.secrets))}", refusal)
        else:
            self.credentials_were = "unchanged" if had_any else "none"


def form_for(kind: Kind, source: DataSource | None) -> type[DataSourceForm]:
    """The form of a source of that kind, with what the source has for it."""
    held = source.settings if source else {}
    fields: dict[str, forms.Field] = dict(_setting_fields(kind, held))
    for name, label in kind.secrets.items():
        fields[f"{SECRET}{name}"] = forms.CharField(
            label=label,
            required=False,
            strip=True,
            widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}),
            help_text=_SECRET_HELP if kind.destination else _KEPT,
        )
    if source is not None and source.secrets:
        fields[REMOVAL] = forms.BooleanField(
            label="Remove the stored credentials", required=False, widget=UnfoldBooleanSwitchWidget
        )
    fields[UNTESTED] = forms.BooleanField(
        label="Save without testing the connection",
        required=False,
        widget=UnfoldBooleanSwitchWidget,
        help_text="For a source that only the worker's machine reaches. Otherwise it is tried first, and not saved if "
        "it cannot be read, or takes no changes that its settings let people propose.",
    )
    return type("KindForm", (DataSourceForm,), {**fields, "kind": kind})


def settings_of(kind: Kind) -> list[str]:
    """The names of a kind's settings, those first without which it cannot be asked."""
    fields = kind.settings.model_fields
    return sorted(fields, key=lambda name: not fields[name].is_required())


def _setting_fields(kind: Kind, held: dict[str, Any]) -> Iterator[tuple[str, forms.Field]]:
    for name, info in kind.settings.model_fields.items():
        initial = held.get(name, None if info.is_required() else info.get_default(call_default_factory=True))
        field = _field_of(info, initial)
        field.label = info.title or name.replace("_", " ").capitalize()
        field.help_text = info.description or ""
        field.required = info.is_required()
        yield f"{SETTING}{name}", field


def _field_of(info: FieldInfo, initial: Any) -> forms.Field:
    """A form's field for a setting, by its type."""
    kind = _without_none(info.annotation)
    if get_origin(kind) in {list, tuple}:
        return LinesField(initial=initial)
    if get_origin(kind) is Literal:
        choices = [(value, str(value).replace("_", " ")) for value in get_args(kind)]
        return forms.ChoiceField(choices=choices, initial=initial, widget=UnfoldAdminSelectWidget)
    if kind is bool:
        return forms.BooleanField(initial=initial, widget=UnfoldBooleanSwitchWidget)
    if kind is int:
        return forms.IntegerField(initial=initial, widget=UnfoldAdminIntegerFieldWidget)
    if getattr(kind, "__name__", "") == "date":
        return forms.DateField(initial=initial, widget=UnfoldAdminDateWidget)
    has_lines = isinstance(info.json_schema_extra, dict) and info.json_schema_extra.get("lines")
    widget = UnfoldAdminTextareaWidget(attrs={"rows": 3}) if has_lines else UnfoldAdminTextInputWidget()
    return forms.CharField(initial=initial, widget=widget)


def _without_none(annotation: Any) -> Any:
    """The type of a setting that may be left out."""
    if get_origin(annotation) in {Union, UnionType}:
        kinds = [kind for kind in get_args(annotation) if kind is not NoneType]
        return kinds[0]
    return annotation


class LinesField(forms.CharField):
    """Several values, a line each."""

    widget = UnfoldAdminTextareaWidget(attrs={"rows": 3})

    def prepare_value(self, value: Any) -> Any:
        """The values as lines."""
        return "\n".join(map(str, value)) if isinstance(value, list | tuple) else value

    def to_python(self, value: Any) -> Any:
        """The lines that hold something."""
        return [line.strip() for line in str(value or "").splitlines() if line.strip()]
