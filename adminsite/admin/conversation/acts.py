"""Handle the buttons on the page of a conversation. Each needs its own right and leaves an audit row."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseRedirect

from adminsite.admin.conversation.links import read_id, url_of
from adminsite.admin.quality import acknowledge_alerts, may_acknowledge
from core.models import Alert, Query


def acknowledge(request: HttpRequest, query: Query) -> HttpResponseRedirect:
    """Acknowledge an alert about a question, and come back to the question."""
    if not may_acknowledge(request):
        raise PermissionDenied
    pk = read_id(request.POST.get("alert", ""))
    alerts = Alert.objects.filter(evaluation__query_log__query=query)
    if pk and acknowledge_alerts(request, alerts.filter(pk=pk)):
        messages.success(request, "The alert is acknowledged.")
    else:
        messages.warning(request, "The alert was acknowledged before.")
    return HttpResponseRedirect(url_of(query))
