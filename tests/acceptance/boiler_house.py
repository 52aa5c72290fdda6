"""A small library about a boiler house, and who reads what of it: for the tests of the local page."""

from tests.unit.ingestion.files import paragraph, pdf

QUESTION = "When is the boiler inspected?"

HANDBOOK = """# Boiler handbook

## Inspection

The boiler is inspected on 1 March and on 1 September by the operator.
Each inspection is entered in the boiler log on the same day.
"""
HANDBOOK_QUOTE = "The boiler is inspected on 1 March and on 1 September by the operator."
CONTRACT = """# Supplier agreement

## Inspection

The boiler is inspected on 15 June by the supplier at a price of 4,200 euro. The agreement ends in 2031.
"""
CONTRACT_QUOTE = "The boiler is inspected on 15 June by the supplier at a price of 4,200 euro."
PUMP_QUESTION = "How often is the harbour pump greased?"
PUMP_QUOTE = "The harbour pump is greased every six weeks, and its filter is washed in salt water."
PUMP_PAGE = 3
SECRETS = ("Supplier agreement", "4,200", "15 June", "ends in 2031")

# One process for all of it: each that embeds loads the model.
FURNISH = """
from django.core.management import call_command
from slack_emulator.seeding import SeedChannel, seed_workspace
from core.models import Role, User

owners, staff = (Role.objects.create(name=name) for name in ("owners", "staff"))
for name, roles in {"Alice": [owners, staff], "Bob": [staff], "Charlie": []}.items():
    User.objects.create_user(f"{name.casefold()}@example.com", display_name=name).roles.set(roles)
call_command("ingest", "HOME/handbook.md", grant=["staff"])
call_command("ingest", "HOME/agreement.md", grant=["owners"])
call_command("ingest", "HOME/pump.pdf", grant=["owners"])
alice, bob = "alice@example.com", "bob@example.com"
question = "When is the boiler inspected?"
seed_workspace(
    [
        SeedChannel(name="staff", members=[alice, bob], is_private=True),
        SeedChannel(name="owners", members=[alice], is_private=True, suggestions=[question]),
        SeedChannel(name="garden", members=[alice], is_private=True, suggestions=[question]),
    ]
)
"""


def draw_pump_manual() -> bytes:
    """A PDF of four pages, of which the third has the answer over two lines."""
    head = ("Pump manual", 60.0, 80.0, "Helvetica-Bold", 20.0)
    about = ["This manual is for the people of the harbour.", "Keep it where they find it, beside the pump house."]
    first, second = PUMP_QUOTE.split(", ")
    said = ["Care of the pump.", f"{first},", second, "Whoever has done it writes it into the log of the harbour."]
    ends = ["Spare parts are in the shed behind the crane.", "The key to the shed hangs in the office."]
    return pdf([[head, *paragraph(about)], paragraph(about), paragraph(said), paragraph(ends)])
