"""Financial statements of companies that do not exist."""

from benchmarks.statements.statement import Statement


def _years(*years: str, over: str = "") -> tuple[tuple[tuple[str, int], ...], ...]:
    names = tuple((year, 1) for year in years)
    return (((over, len(years)),), names) if over else (names,)


BALANCE = Statement(
    name="balance sheet",
    title="CONSOLIDATED BALANCE SHEETS",
    unit="(in thousands, except share and par value data)",
    header=_years("2023", "2022", over="As of December 31,"),
    body="""
Assets
  Current assets:
    Cash and cash equivalents | $ 1,904,118 | $ 1,210,377
    Short-term investments | 88,205 | 140,012
    Accounts receivable, net of allowance of $4,120 and $3,918 | 402,551 | 377,846
    Prepaid expenses and other current assets | 61,007 | 58,330
      Total current assets | 2,455,881 | 1,786,565
  Property and equipment, net | 713,220 | 698,104
  Goodwill | 250,000 | 250,000
  Other non-current assets | 90,441 | 77,902
      Total assets | $ 3,509,542 | $ 2,812,571
Liabilities and Stockholders' Equity
  Current liabilities:
    Accounts payable | $ 310,664 | $ 287,150
    Accrued expenses | 204,990 | 190,478
    Deferred revenue | 118,003 | 96,725
      Total current liabilities | 633,657 | 574,353
  Long-term debt | 900,000 | 600,000
  Commitments and contingencies (Note 9)
  Stockholders' equity:
    Common stock, $0.001 par value | 1,845,120 | 1,602,330
    Accumulated other comprehensive loss | (12,904) | (9,117)
    Retained earnings | 143,669 | 45,005
      Total stockholders' equity | 1,975,885 | 1,638,218
      Total liabilities and stockholders' equity | $ 3,509,542 | $ 2,812,571
""",
)
INCOME = Statement(
    name="income statement",
    title="CONSOLIDATED STATEMENTS OF OPERATIONS",
    unit="(in millions, except per share data)",
    header=_years("2024", "2023", "2022", over="Fiscal Year Ended June 30,"),
    body="""
Revenue:
  Product | $ 64,118 | $ 59,902 | $ 61,245
  Service and other | 88,731 | 71,006 | 60,118
    Total revenue | 152,849 | 130,908 | 121,363
Cost of revenue | 49,117 | 44,902 | 40,223
Gross margin | 103,732 | 86,006 | 81,140
Research and development | 20,418 | 19,844 | 17,301
Sales and marketing | 16,905 | 16,220 | 15,717
Impairment of goodwill | — | 1,250 | —
Operating income | 66,409 | 48,692 | 48,122
Other income (expense), net | (1,204) | 512 | (77)
Income before income taxes | 65,205 | 49,204 | 48,045
Provision for (benefit from) income taxes | (11,733) | (9,104) | 2,345
Net income | $ 53,472 | $ 40,100 | $ 50,390
Earnings per share:
  Basic | $ 7.18 | $ 5.36 | $ 6.71
  Diluted | $ 7.12 | $ 5.33 | $ 6.66
Weighted average shares outstanding:
  Basic | 7,447 | 7,481 | 7,510
  Diluted | 7,510 | 7,523 | 7,566
""",
)
CASH = Statement(
    name="cash flows over two pages",
    title="CONSOLIDATED STATEMENTS OF CASH FLOWS",
    unit="(in thousands)",
    header=_years("2021", "2020", "2019", over="Year Ended December 31,"),
    cut_before="Cash flows from investing activities:",
    body="""
Cash flows from operating activities:
  Net income | $ 186,678 | $ 122,641 | $ 266,799
  Adjustments to reconcile net income to net cash provided by (used in) operating activities:
    Depreciation and amortization of property, equipment and intangibles | 71,911 | 62,283 | 54,028
    Stock-based compensation expense | 173,675 | 124,725 | 115,239
    Foreign currency remeasurement loss on long-term debt | (140,790) | — | 8,360
    Deferred income taxes | (46,847) | (58,655) | (30,063)
  Changes in operating assets and liabilities:
    Other current assets | 48,922 | 18,405 | (9,198)
    Accounts payable | 32,247 | 51,615 | 83,812
    Deferred revenue | 96,751 | 72,135 | 58,819
      Net cash provided by operating activities | 422,547 | 393,149 | 547,796
Cash flows from investing activities:
  Acquisition of DVD content assets | (77,177) | (77,958) | (71,901)
  Purchases of property and equipment | (107,653) | (91,248) | (69,726)
  Proceeds from sale of short-term investments | 282,484 | 104,762 | 385,300
      Net cash provided by (used in) investing activities | 97,654 | (64,444) | 243,673
Cash flows from financing activities:
  Proceeds from issuance of debt | 1,000,000 | 1,500,000 | 400,000
  Repurchases of common stock | (200,045) | — | (210,259)
      Net cash provided by financing activities | 799,955 | 1,500,000 | 189,741
Net increase in cash and cash equivalents | 1,320,156 | 1,828,705 | 981,210
Cash and cash equivalents, beginning of year | 3,794,483 | 1,965,778 | 984,568
Cash and cash equivalents, end of year | $ 5,114,639 | $ 3,794,483 | $ 1,965,778
""",
)
CASH_PLAIN = Statement(
    name="cash flows, second page without names",
    title="Statement of cash flows",
    unit="in CHF million",
    header=_years("2020", "2019"),
    cut_before="Dividends paid",
    repeats_header=False,
    body="""
Profit for the year | 412.6 | 388.1
Depreciation | 120.4 | 118.9
Change in working capital | -34.2 | 12.7
Operating cash flow | 498.8 | 519.7
Purchase of plants | -201.3 | -188.8
Sale of plants | 14.0 | 3.1
Investing cash flow | -187.3 | -185.7
Dividends paid | -150.0 | -140.0
Shares bought back | -90.1 | -45.2
Financing cash flow | -240.1 | -185.2
Cash at the beginning | 301.0 | 152.2
Cash at the end | 372.4 | 301.0
""",
)
SEGMENTS = Statement(
    name="segments",
    title="Segment information",
    unit="(Dollars in millions)",
    header=(
        (("Year ended March 31, 2025", 5),),
        (("Power", 1), ("Water", 1), ("Home\nAppliances", 1), ("Corporate and\nOther", 1), ("Total", 1)),
    ),
    body="""
Sales to external customers | $ 4,120 | $ 1,018 | $ 2,774 | $ 55 | $ 7,967
Intersegment sales | 210 | 31 | — | (241) | —
Segment profit (loss) | 612 | (14) | 318 | (122) | 794
Depreciation and amortization | 144 | 52 | 97 | 12 | 305
Capital expenditures | 201 | 77 | 120 | 9 | 407
Total assets | $ 5,830 | $ 1,444 | $ 2,905 | $ 1,212 | $ 11,391
""",
)
CURRENCY = Statement(
    name="reported and constant currency",
    title="Revenue by region",
    unit="(in millions, except percentages)",
    header=(
        (("Three Months Ended September 30,", 2), ("Change", 2)),
        (("2024", 1), ("2023", 1), ("Reported", 1), ("Constant currency", 1)),
    ),
    body="""
United States and Canada | $ 4,322 | $ 3,735 | 16 % | 16 %
Europe, Middle East, and Africa | 3,133 | 2,693 | 16 % | 18 %
Latin America | 1,241 | 1,143 | 9 % | 37 %
Asia-Pacific | 1,128 | 948 | 19 % | 19 %
Total revenues | $ 9,824 | $ 8,519 | 15 % | 19 %
""",
)
ASSETS = Statement(
    name="side by side",
    title="Bilanz zum 31. Dezember 2023",
    unit="in TEUR",
    header=_years("2023", "2022"),
    body="""
Immaterielle Werte | 12.480 | 13.002
Sachanlagen | 88.914 | 85.117
Finanzanlagen | 4.050 | 4.050
Vorräte | 31.226 | 28.404
Forderungen | 27.300 | 30.118
Flüssige Mittel | 9.771 | 6.020
Summe Aktiva | 173.741 | 166.711
""",
    beside=Statement(
        name="",
        title="",
        unit="in TEUR",
        header=_years("2023", "2022"),
        body="""
Gezeichnetes Kapital | 25.000 | 25.000
Rücklagen | 61.300 | 57.912
Rückstellungen | 18.704 | 17.445
Bankschulden | 42.117 | 44.870
Lieferantenschulden | 20.330 | 16.204
Sonstiges | 6.290 | 5.280
Summe Passiva | 173.741 | 166.711
""",
    ),
)
FAIR_VALUE = Statement(
    name="fair values",
    title="Cash and investments",
    unit="(in thousands)",
    header=(
        (("December 31, 2022", 4),),
        (("Amortized\nCost", 1), ("Gross Unrealized\nGains", 1), ("Gross Unrealized\nLosses", 1), ("Fair\nValue", 1)),
    ),
    body="""
Cash | $ 803,958 | $ — | $ — | $ 803,958
Level 1 securities:
  Money market funds | 107,199 | — | — | 107,199
Level 2 securities:
  Corporate debt securities | 200,407 | 301 | (731) | 199,977
  Government securities | 235,252 | — | (1,046) | 234,206
  Agency securities | 27,447 | 3 | (12) | 27,438
    Total | $ 1,374,263 | $ 304 | $ (1,789) | $ 1,372,778
""",
)
EQUITY = Statement(
    name="equity",
    title="CONSOLIDATED STATEMENT OF CHANGES IN EQUITY",
    unit="(€ in thousands)",
    header=(
        (
            ("Share\ncapital", 1),
            ("Share\npremium", 1),
            ("Retained\nearnings", 1),
            ("Other\nreserves", 1),
            ("Non-\ncontrolling\ninterests", 1),
            ("Total\nequity", 1),
        ),
    ),
    body="""
Balance at January 1, 2023 | 12,000 | 48,210 | 91,334 | (2,118) | 3,020 | 152,446
Profit for the year | — | — | 18,770 | — | 411 | 19,181
Currency translation | — | — | — | (904) | (33) | (937)
Dividends | — | — | (6,000) | — | (120) | (6,120)
Issue of shares | 500 | 7,250 | — | — | — | 7,750
Balance at December 31, 2023 | 12,500 | 55,460 | 104,104 | (3,022) | 3,278 | 172,320
""",
)
OBLIGATIONS = Statement(
    name="obligations by period",
    title="Contractual obligations",
    unit="(in thousands)",
    header=(
        (("Payments due by Period", 5),),
        (
            ("Total", 1),
            ("Less than\none year", 1),
            ("One to\nthree years", 1),
            ("Three to\nfive years", 1),
            ("More than\nfive years", 1),
        ),
    ),
    body="""
Content obligations (1) | $ 7,103,070 | $ 3,010,221 | $ 3,209,955 | $ 833,905 | $ 48,989
Senior notes (2) | 4,200,712 | 120,330 | 418,004 | 402,226 | 3,260,152
Operating lease obligations | 280,014 | 50,221 | 88,400 | 70,112 | 71,281
Total | $ 11,583,796 | $ 3,180,772 | $ 3,716,359 | $ 1,306,243 | $ 3,380,422
""",
)
QUARTERS = Statement(
    name="quarters",
    title="Quarterly results",
    unit="EUR million",
    header=_years("Q1 2024", "Q2 2024", "Q3 2024", "Q4 2024", "FY 2024"),
    body="""
Net sales | 1,204.3 | 1,188.0 | 1,250.7 | 1,410.2 | 5,053.2
Cost of sales | (801.0) | (790.4) | (822.5) | (930.9) | (3,344.8)
Gross profit | 403.3 | 397.6 | 428.2 | 479.3 | 1,708.4
Gross margin | 33.5% | 33.5% | 34.2% | 34.0% | 33.8%
Operating profit | 88.2 | 80.1 | 97.5 | 121.0 | 386.8
""",
)
LEADERS = Statement(
    name="dots before the figures",
    title="STATEMENTS OF FINANCIAL POSITION",
    unit="(in thousands of dollars)",
    header=_years("2019", "2018", over="December 31"),
    leaders=True,
    body="""
Cash and cash equivalents | $ 41,200 | $ 38,119
Inventories, net | 102,557 | 98,340
Other current assets | 7,930 | 8,004
Land and buildings | 210,400 | 205,700
Accumulated depreciation | (88,017) | (80,333)
Total | $ 274,070 | $ 269,830
""",
)
OPTIONS = Statement(
    name="words and figures",
    title="Stock option activity",
    unit="",
    header=(
        (("Shares\nAvailable\nfor Grant", 1), ("Number of\nShares", 1), ("Weighted-\nAverage\nExercise Price", 1)),
    ),
    body="""
Balances as of December 31, 2020 | 14,021,533 | 21,702,010 | $ 109.17
Granted | (2,180,114) | 2,180,114 | 541.22
Exercised | — | (2,601,552) | 74.50
Expired | — | (5,022) | 12.04
Balances as of December 31, 2021 | 11,841,419 | 21,275,550 | $ 157.68
""",
)
ONE_YEAR = Statement(
    name="one column",
    title="Purchase price allocation",
    unit="(in millions)",
    header=((("December 31, 2022", 1),),),
    body="""
Cash acquired | $ 41.0
Receivables | 112.4
Customer relationships | 390.5
Liabilities assumed | (201.7)
Goodwill | 655.8
Total purchase price | $ 998.0
""",
)
NOTES = Statement(
    name="column of notes, units below the dates",
    title="STATEMENT OF PROFIT OR LOSS",
    unit="",
    header=((("Note", 1), ("31 December\n2024\n£'000", 1), ("31 December\n2023\n£'000", 1)),),
    body="""
Turnover | 3 | 81,204 | 77,450
Cost of sales | | (50,118) | (49,003)
Gross profit | | 31,086 | 28,447
Administrative expenses | 4, 5 | (17,905) | (16,812)
Share of profit of associates | 11 | 402 | 377
Finance costs | 6 | (1,204) | (988)
Profit before taxation | | 12,379 | 11,024
Taxation | 7 | (2,960) | (2,104)
Profit for the financial year | | 9,419 | 8,920
""",
)
FLUSH = Statement(
    name="groups that are not indented",
    title="Condensed balance sheet",
    unit="(amounts in millions of US dollars)",
    header=_years("March 29,\n2025", "September 28,\n2024"),
    flush=True,
    body="""
Current assets:
  Cash | $ 28,162 | $ 29,943
  Marketable securities | 20,336 | 35,228
  Vendor receivables | 23,662 | 32,833
  Total current assets | 72,160 | 98,004
Non-current assets:
  Marketable securities | 84,424 | 91,479
  Property, plant and equipment, net | 46,876 | 45,680
  Total non-current assets | 131,300 | 137,159
Total assets | $ 203,460 | $ 235,163
""",
)
FAR_APART = Statement(
    name="change far from its amounts",
    title="Operating results compared with the year before",
    unit="Amounts in thousands",
    header=(
        (("Twelve months ended December 31,", 2), ("", 2), ("Year over year change", 2)),
        (("2024", 1), ("2023", 1), ("", 2), ("As\nreported", 1), ("Constant\ncurrency", 1)),
    ),
    body="""
Streaming revenues | $ 8,612,004 | $ 6,780,522 | | | 27% | 25%
Cost of revenues | 5,118,220 | 4,590,071 | | | 12% | 11%
Marketing | 824,092 | 714,301 | | | 15% | 16%
Operating income (loss) | 379,793 | (305,826) | | | nm | nm
""",
)
WIDE = Statement(
    name="eight columns",
    title="Ten-year review",
    unit="USD m",
    header=_years("2024", "2023", "2022", "2021", "2020", "2019", "2018", "2017"),
    body="""
Sales | 918 | 884 | 850 | 790 | 655 | 802 | 779 | 741
EBITDA | 142 | 139 | 121 | 118 | 61 | 124 | 120 | 109
Net result | 71 | 68 | 50 | 47 | (22) | 55 | 51 | 44
Free cash flow | 40 | (12) | 33 | 31 | 18 | 29 | 30 | 21
Net debt | 210 | 233 | 204 | 219 | 240 | 236 | 248 | 260
Employees | 4,102 | 4,066 | 3,990 | 3,871 | 3,902 | 4,011 | 3,955 | 3,870
""",
)
MARKS = Statement(
    name="marks of notes",
    title="Key figures",
    unit="in EUR thousand, unless stated otherwise",
    header=(((("Jan. – Sep.\n2024"), 1), ("Jan. – Sep.\n2023", 1), ("Change\nin %", 1)),),
    body="""
Order intake (1) | 212,440 | 198,031 | 7.3
Order backlog (1) | 401,118 | 377,250 | 6.3
Net sales | 188,902 | 190,417 | -0.8
EBIT (2) | 17,330 | 16,105 | 7.6
EBIT margin (2) (in %) | 9.2 | 8.5 | –
Free cash flow (3) | -4,120 | 2,077 | n/a
Earnings per share (in EUR) | 1.18 | 1.09 | 8.3
""",
)
CUT_IN_GROUP = Statement(
    name="group over two pages",
    title="Statement of net assets",
    unit="(in thousands)",
    header=_years("2022", "2021"),
    cut_before="Accrued wages",
    body="""
Assets
  Cash | 4,118 | 3,902
  Receivables | 1,204 | 1,377
  Total assets | 5,322 | 5,279
Liabilities
  Current
    Trade payables | 801 | 790
    Tax payable | 112 | 95
    Accrued wages | 240 | 233
    Other | 19 | 24
  Pensions | 1,010 | 1,002
  Total liabilities | 2,182 | 2,144
Net assets | 3,140 | 3,135
""",
)
STATEMENTS = (
    BALANCE,
    INCOME,
    CASH,
    CASH_PLAIN,
    SEGMENTS,
    CURRENCY,
    ASSETS,
    FAIR_VALUE,
    EQUITY,
    OBLIGATIONS,
    QUARTERS,
    LEADERS,
    OPTIONS,
    ONE_YEAR,
    NOTES,
    FLUSH,
    FAR_APART,
    WIDE,
    MARKS,
    CUT_IN_GROUP,
)
