"""Roles that administrators give by hand, as rows on a person's page and on a role's."""

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.admin import TabularInline
from unfold.forms import PaginationInlineFormSet

from adminsite.admin.base import DecidesWhoReads
from core.models import UserRole


class GivenByHand(PaginationInlineFormSet):
    """Roles that administrators give. A person may hold the same role through a usergroup besides."""

    def clean(self) -> None:
        """Refuse what is there already: the database would, without saying which row it means."""
        super().clean()
        known = set()
        for form in self.forms:
            row = form.instance
            if form in self.deleted_forms or not row.user_id or not row.role_id:
                continue
            pair = (row.user_id, row.role_id)
            given = UserRole.objects.filter(user_id=row.user_id, role_id=row.role_id, usergroup=None)
            if pair in known or (row._state.adding and given.exists()):
                raise ValidationError("This person already has this role.")
            known.add(pair)


class HandGivenInline(DecidesWhoReads, TabularInline):
    """Roles and people as administrators put them together; what usergroups give is shown apart."""

    model = UserRole
    formset = GivenByHand

    def get_queryset(self, request: HttpRequest) -> QuerySet[UserRole]:
        """Return the roles given by hand."""
        return super().get_queryset(request).filter(usergroup=None)
