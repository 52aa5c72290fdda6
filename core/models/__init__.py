"""Define the tables of Footnote. One module per noun family; each model's docstring says what a row is."""

from core.models.allowances import RequestCount
from core.models.audit import AuditEvent
from core.models.budgets import Budget, BudgetTold, BudgetUse
from core.models.change_checks import (
    AnswerThresholds,
    ChangeCheck,
    ChangeCheckLine,
    ChangeCheckSource,
    ChangeCheckWords,
    ChangeLimit,
)
from core.models.contradictions import ContradictionLook, ContradictionWords, SourceContradiction
from core.models.conversations import AgentStep, Answer, Citation, CitationWords, Conversation, Query, RetrievedChunk
from core.models.data_sources import (
    DataSource,
    IntranetHost,
    SourceGroup,
    SyncChange,
    SyncItem,
    SyncRun,
    WithdrawnGrant,
)
from core.models.evaluation_runs import EvaluationRun, EvaluationRunLine
from core.models.examinations import ExaminationLine, ExaminationSource, ExaminationWords, ModelExamination
from core.models.footnotes import FootnoteChange, SourceChange
from core.models.gaps import ContentGap, GapCheck, GapQuestion, GapUpdate
from core.models.ingestion import IngestionFile, IngestionJob
from core.models.library import (
    CUT_AS,
    LATER_PAGES,
    PAGE,
    RECOGNISED,
    Chunk,
    Collection,
    CollectionRole,
    Document,
    EmbeddingModel,
    LibraryVersion,
    RoleDocumentAccess,
)
from core.models.masking import (
    fingerprint_of,
    forget_shown,
    mask_words,
    read_unmasked,
    unmask,
    unmask_column,
)
from core.models.model_replies import ModelReply
from core.models.model_setups import ModelSetup
from core.models.oversharing import OversharingRisk, ReachSnapshot, SensitivePlace, SensitivityLook, ShownSecret
from core.models.people import ChannelSetting, Role, SlackBot, SlackIdentity, User, UsergroupRole, UserRole
from core.models.programs import ConnectedProgram
from core.models.proposals import LateAnswer, ProposalWords, ProposedChange
from core.models.receipts import AnswerSeal
from core.models.records import Alert, BenchmarkResult, EvaluationResult, Feedback, QueryLog
from core.models.research import Research, ResearchLine
from core.models.section_rules import SectionPart, SectionRule, SectionRuleRole
from core.models.sign_in import SignInAttempt
from core.models.slack_directory import SlackChannel, SlackUsergroup
from core.models.tokens import AuthToken
from core.models.vector_engine import AccessClass, DocumentClass, EngineChange, EngineCollection
from core.models.verified_answers import VerifiedAnswer, VerifiedPhrasing, VerifiedSource, VerifiedSourceWords
from core.models.workspaces import SlackWorkspace

__all__ = [
    "CUT_AS",
    "LATER_PAGES",
    "PAGE",
    "RECOGNISED",
    "AccessClass",
    "AgentStep",
    "Alert",
    "Answer",
    "AnswerSeal",
    "AnswerThresholds",
    "AuditEvent",
    "AuthToken",
    "BenchmarkResult",
    "Budget",
    "BudgetTold",
    "BudgetUse",
    "ChangeCheck",
    "ChangeCheckLine",
    "ChangeCheckSource",
    "ChangeCheckWords",
    "ChangeLimit",
    "ChannelSetting",
    "Chunk",
    "Citation",
    "CitationWords",
    "Collection",
    "CollectionRole",
    "ConnectedProgram",
    "ContentGap",
    "ContradictionLook",
    "ContradictionWords",
    "Conversation",
    "DataSource",
    "Document",
    "DocumentClass",
    "EmbeddingModel",
    "EngineChange",
    "EngineCollection",
    "EvaluationResult",
    "EvaluationRun",
    "EvaluationRunLine",
    "ExaminationLine",
    "ExaminationSource",
    "ExaminationWords",
    "Feedback",
    "FootnoteChange",
    "GapCheck",
    "GapQuestion",
    "GapUpdate",
    "IngestionFile",
    "IngestionJob",
    "IntranetHost",
    "LateAnswer",
    "LibraryVersion",
    "ModelExamination",
    "ModelReply",
    "ModelSetup",
    "OversharingRisk",
    "ProposalWords",
    "ProposedChange",
    "Query",
    "QueryLog",
    "ReachSnapshot",
    "RequestCount",
    "Research",
    "ResearchLine",
    "RetrievedChunk",
    "Role",
    "RoleDocumentAccess",
    "SectionPart",
    "SectionRule",
    "SectionRuleRole",
    "SensitivePlace",
    "SensitivityLook",
    "ShownSecret",
    "SignInAttempt",
    "SlackBot",
    "SlackChannel",
    "SlackIdentity",
    "SlackUsergroup",
    "SlackWorkspace",
    "SourceChange",
    "SourceContradiction",
    "SourceGroup",
    "SyncChange",
    "SyncItem",
    "SyncRun",
    "User",
    "UserRole",
    "UsergroupRole",
    "VerifiedAnswer",
    "VerifiedPhrasing",
    "VerifiedSource",
    "VerifiedSourceWords",
    "WithdrawnGrant",
    "fingerprint_of",
    "forget_shown",
    "mask_words",
    "read_unmasked",
    "unmask",
    "unmask_column",
]
