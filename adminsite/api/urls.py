"""Route the REST paths. Each also works with a slash at its end, which Django would not add to a POST."""

from django.urls import URLPattern, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from adminsite.api.answering import AskView, EndConversationView, SearchView
from adminsite.api.change_checks import (
    AnswerThresholdsView,
    ApproveView,
    ChangeCheckListView,
    ChangeCheckView,
    ChangeLimitsView,
    CheckAgainView,
    DeclineView,
    StopView,
)
from adminsite.api.contradictions import ContradictionListView
from adminsite.api.grants import GrantsView
from adminsite.api.ingestion import IngestionJobsView, IngestionJobView
from adminsite.api.late_answers import LateAnswersView
from adminsite.api.library import CollectionsView, DocumentListView, DocumentView
from adminsite.api.oversharing import (
    AcceptView,
    NarrowView,
    ReopenView,
    RiskListView,
    RiskView,
    ShownSecretsView,
    ShownSecretView,
    ShowSecretsView,
)
from adminsite.api.proposals import (
    ChangePreviewView,
    ContradictionDraftView,
    ContradictionTargetsView,
    DeclinedChangeView,
    GapDraftView,
    GapTargetsView,
    MergedChangeView,
    ProposedChangeListView,
    ProposedChangeView,
    SendAgainView,
    WithdrawView,
)
from adminsite.api.receipts import ReceiptView
from adminsite.api.records import EvaluationListView, FeedbackView, GapListView, QueryListView, QueryView, WhyView
from adminsite.api.reports import (
    BenchmarkView,
    ChangeChecksReportView,
    ContradictionsReportView,
    EditionsView,
    EvaluationRunView,
    ModelUseView,
    OversharingReportView,
    ProposalsReportView,
    ReceiptsReportView,
    ReportView,
    ResearchReportView,
    SectionsReportView,
    UsageView,
)
from adminsite.api.research import (
    ResearchDocumentView,
    ResearchListView,
    ResearchPlanView,
    ResearchStartView,
    ResearchStopView,
    ResearchView,
)
from adminsite.api.roles import RoleMembersView, RolesView
from adminsite.api.schema import NowhereView
from adminsite.api.sections import (
    DocumentSectionsView,
    SectionDecisionView,
    SectionPartsView,
    SectionRulePreviewView,
    SectionRulesView,
    SectionRuleView,
)
from adminsite.api.verified_answers import VerifiedAnswerListView, VerifiedAnswerView

app_name = "api"
VIEWS = {
    "ask": AskView.as_view(),
    "search": SearchView.as_view(),
    "conversations/<uuid:conversation_id>/end": EndConversationView.as_view(),
    "research": ResearchListView.as_view(),
    "research/<uuid:research_id>": ResearchView.as_view(),
    "research/<uuid:research_id>/plan": ResearchPlanView.as_view(),
    "research/<uuid:research_id>/start": ResearchStartView.as_view(),
    "research/<uuid:research_id>/stop": ResearchStopView.as_view(),
    "research/<uuid:research_id>/document": ResearchDocumentView.as_view(),
    "queries": QueryListView.as_view(),
    "queries/<str:request_id>": QueryView.as_view(),
    "queries/<str:request_id>/why": WhyView.as_view(),
    "queries/<str:request_id>/receipt": ReceiptView.as_view(),
    "evaluations": EvaluationListView.as_view(),
    "feedback": FeedbackView.as_view(),
    "documents": DocumentListView.as_view(),
    "documents/<uuid:document_id>": DocumentView.as_view(),
    "documents/<uuid:document_id>/sections": DocumentSectionsView.as_view(),
    "collections": CollectionsView.as_view(),
    "ingestion": IngestionJobsView.as_view(),
    "ingestion/<uuid:job_id>": IngestionJobView.as_view(),
    "roles": RolesView.as_view(),
    "roles/<uuid:role_id>/members": RoleMembersView.as_view(),
    "grants": GrantsView.as_view(),
    "change-checks": ChangeCheckListView.as_view(),
    "change-checks/<uuid:check_id>": ChangeCheckView.as_view(),
    "change-checks/<uuid:check_id>/approve": ApproveView.as_view(),
    "change-checks/<uuid:check_id>/decline": DeclineView.as_view(),
    "change-checks/<uuid:check_id>/again": CheckAgainView.as_view(),
    "change-checks/<uuid:check_id>/stop": StopView.as_view(),
    "change-limits": ChangeLimitsView.as_view(),
    "answer-thresholds": AnswerThresholdsView.as_view(),
    "section-rules": SectionRulesView.as_view(),
    "section-rules/preview": SectionRulePreviewView.as_view(),
    "section-rules/<uuid:rule_id>": SectionRuleView.as_view(),
    "section-parts": SectionPartsView.as_view(),
    "section-parts/<uuid:part_id>/decide": SectionDecisionView.as_view(),
    "oversharing": RiskListView.as_view(),
    "oversharing/<uuid:risk_id>": RiskView.as_view(),
    "oversharing/<uuid:risk_id>/narrow": NarrowView.as_view(),
    "oversharing/<uuid:risk_id>/accept": AcceptView.as_view(),
    "oversharing/<uuid:risk_id>/reopen": ReopenView.as_view(),
    "oversharing/<uuid:risk_id>/show-secrets": ShowSecretsView.as_view(),
    "shown-secrets": ShownSecretsView.as_view(),
    "shown-secrets/<slug:secret_id>": ShownSecretView.as_view(),
    "contradictions": ContradictionListView.as_view(),
    "contradictions/<uuid:contradiction_id>/targets": ContradictionTargetsView.as_view(),
    "contradictions/<uuid:contradiction_id>/draft": ContradictionDraftView.as_view(),
    "gaps": GapListView.as_view(),
    "gaps/<uuid:gap_id>/targets": GapTargetsView.as_view(),
    "gaps/<uuid:gap_id>/draft": GapDraftView.as_view(),
    "proposed-changes": ProposedChangeListView.as_view(),
    "proposed-changes/preview": ChangePreviewView.as_view(),
    "proposed-changes/<uuid:proposal_id>": ProposedChangeView.as_view(),
    "proposed-changes/<uuid:proposal_id>/withdraw": WithdrawView.as_view(),
    "proposed-changes/<uuid:proposal_id>/merged": MergedChangeView.as_view(),
    "proposed-changes/<uuid:proposal_id>/declined": DeclinedChangeView.as_view(),
    "proposed-changes/<uuid:proposal_id>/send-again": SendAgainView.as_view(),
    "late-answers": LateAnswersView.as_view(),
    "reports": ReportView.as_view(),
    "verified-answers": VerifiedAnswerListView.as_view(),
    "verified-answers/<uuid:answer_id>": VerifiedAnswerView.as_view(),
    "reports/change-checks": ChangeChecksReportView.as_view(),
    "reports/contradictions": ContradictionsReportView.as_view(),
    "reports/editions": EditionsView.as_view(),
    "reports/model-use": ModelUseView.as_view(),
    "reports/oversharing": OversharingReportView.as_view(),
    "reports/proposed-changes": ProposalsReportView.as_view(),
    "reports/receipts": ReceiptsReportView.as_view(),
    "reports/research": ResearchReportView.as_view(),
    "reports/sections": SectionsReportView.as_view(),
    "reports/usage": UsageView.as_view(),
    "reports/evaluations": EvaluationRunView.as_view(),
    "reports/benchmarks": BenchmarkView.as_view(),
}
SCHEMA = SpectacularAPIView.as_view()
SCHEMA_PAGE = SpectacularSwaggerSplitView.as_view(url_name="api:schema")  # without a script in the page itself
# For the limits of their bodies, and for links of the admin.
NAMED = {"ingestion": "ingestion", "oversharing": "oversharing", "reports/oversharing": "oversharing_report"}
urlpatterns: list[URLPattern] = [
    *(path(route, view, name=NAMED.get(route, "")) for route, view in VIEWS.items()),
    *(path(f"{route}/", view, name=NAMED.get(route, "")) for route, view in VIEWS.items()),
    path("schema", SCHEMA, name="schema"),
    path("schema/", SCHEMA),
    path("docs", SCHEMA_PAGE, name="docs"),
    path("docs/", SCHEMA_PAGE),
    path("", NowhereView.as_view()),
    path("<path:rest>", NowhereView.as_view()),
]
