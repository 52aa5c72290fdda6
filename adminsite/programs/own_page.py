"""The page on which a person finds the programs that they have connected, and disconnects them."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from adminsite.sign_in.readers import find_reader
from core.access.token_audiences import name_channel
from core.models import ConnectedProgram, User
from core.programs.connections import Ending, end


def _for_readers(page: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Make a view for whoever is signed in, by Slack too; others are sent to sign in first."""

    @never_cache
    @wraps(page)
    def view(request: HttpRequest, **named: Any) -> HttpResponse:
        reader = find_reader(request)
        if reader is None:
            return redirect(f"{reverse('reader-sign-in')}?{urlencode({'next': reverse('own-programs')})}")
        return page(request, reader, **named)

    return view


@require_safe
@_for_readers
def list_programs(request: HttpRequest, reader: User) -> HttpResponse:
    """Show the programs that the person has connected and that work still."""
    connected = ConnectedProgram.objects.filter(user=reader, expires_at__gt=timezone.now()).exclude(token_family=None)
    shown = [
        {
            "pk": each.pk,
            "name": each.name,
            "host": each.host,
            "channel": name_channel(each.asks_for),
            "people": len(each.for_people),
            "created_at": each.created_at,
            "expires_at": each.expires_at,
            "last_used_at": each.last_used_at,
        }
        for each in connected
    ]
    return render(request, "adminsite/programs/own.html", {"reader": reader, "programs": shown})


@require_POST
@_for_readers
def disconnect(request: HttpRequest, reader: User, pk: UUID) -> HttpResponse:
    """End one of the person's own connections; another person's looks like one that there is not."""
    connection = ConnectedProgram.objects.filter(user=reader, pk=pk).first()
    if connection is not None:
        end(connection, Ending.PERSON, by=reader)
        messages.success(request, f"{connection.name or 'The program'} was disconnected.")
    return redirect("own-programs")
