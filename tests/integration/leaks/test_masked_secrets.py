"""Test that no interface shows a password, a token or a key of a document, unless it is meant to be read."""

import json
import logging
from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from core import api
from core.access.audiences import asker_for, audience_of
from core.asking.research.running import run_research
from core.library.ingestion.chunking import embedded_text
from core.library.ingestion.store import build_searched_context
from core.llm.scripted import script_model
from core.models import Answer, Chunk, Citation, Document, Query, Research, ShownSecret, User, fingerprint_of
from core.models.masking import forget_shown, unmask
from core.models.row_security import bypass_row_security
from core.quality.contradictions.looking import look_for_contradictions
from core.serialization import as_json
from core.testing import Cast, make_document
from core.types import Answer as AnswerValue
from core.types import Origin
from core.values.secrets import MASK
from tests.integration.bot.editions import put
from tests.integration.leaks.doors import ALL, said_by
