"""Hold the words by which passages look confidential, in English, German, French and Spanish. Pure.

Each topic has words that name it, and words that make it particular besides people's names. Words of rules, offers and
published texts speak of everybody. The words come from what human resources, clinics, boards and lawyers write; how
well they tell apart is measured on documents by somebody who had not seen them (evaluation/oversharing.jsonl).
"""

import re

from core.values.oversharing import Topic


def _compile(lines: str) -> re.Pattern[str]:
    """Compile alternatives, on lines, into a pattern that matches them at the beginning of a word."""
    alternatives = "|".join(line.strip() for line in lines.strip().splitlines())
    return re.compile(rf"(?<![^\W\d_])(?:{alternatives})", re.IGNORECASE)


NAMES_TOPIC = {
    Topic.PAY: _compile(
        r"""
        salar(?:y|ies)|pay (?:rise|increase|cut|grade|review|adjustment|step)|paid \D{0,12}\d|base pay|gross pay
        net pay
        wages?\b|bonus(?:es)?\b|compensation|remunerat|severance|stock options?|equity grant|pay ?slip|payroll
        earns\b
        earning\b|annual gross|day rate|hourly rate|counter-?offer|package of|on-target|OTE\b|allowance
        pension pot
        gehalt|gehälter|gehalts|lohn|löhne|brutto|netto|prämie|abfindung|vergütung|bezüge|entgelt|zulage
        bonuszahlung
        salaire|rémunération|prime\b|primes\b|indemnité|brut annuel|augmentation de|fiche de paie
        salario|sueldo|nómina|retribuci|bonificaci|indemnizaci|finiquito|bruto anual|complemento
        """
    ),
    Topic.HEALTH: _compile(
        r"""
        diagnos|sick (?:leave|note)|sickness|illness|surgery|operation on|therap|psychiatr|psycholog|depressi
        burn-?out
        anxiety|cancer|tumou?r|chemo|diabet|epilep|asthma|migraine|pregnan|miscarriage|HIV|hepatitis
        allerg(?:y|ic)
        medication|dosage|prescri|rehabilit|disabilit|wheelchair|occupational health|fit note
        medical (?:leave|condition)
        unfit for|phased return|addict|alcohol depend|blood (?:pressure|test)|heart (?:attack|condition)
        stroke\b|PTSD
        autis|ADHD|bipolar|insulin|injur(?:y|ed)|patient\b|symptom|hospitali[sz]ed|self-harm|seizure
        krank(?:schreibung|geschrieben|meldung|heit)|arbeitsunfähig|befund|depression|schwanger|schwerbehind
        wiedereinglied
        medikament|krebs|betriebsarzt|bandscheibe|herzinfarkt|suchtberat|pflegegrad|impfstatus
        arrêt (?:maladie|de travail)|maladie|diagnosti|enceinte|grossesse|traitement|handicap
        mi-temps thérapeutique|médecin
        baja médica|baja por|enfermedad|diagnóstic|embaraz|tratamiento|discapacidad|médic[oa]|paciente
        operad[oa] de
        """
    ),
    Topic.CONDUCT: _compile(
        r"""
        (?:written |final |first |formal )?warning|disciplin|grievance|misconduct|allegation|alleged|harass
        bully|bullied
        complain(?:t|ed|s)|investigat|suspended|suspension|dismiss|terminat
        performance (?:improvement|plan|issue|concern)
        PIP\b|underperform|unauthori[sz]ed absence|theft|stole|fraud|falsif|misus|breach of|whistle|witness
        hearing
        resign(?:ed|ation)|exit interview|probation|inappropriate|conduct|lateness|timekeeping|reprimand
        plagiari
        abmahnung|abgemahnt|kündigung|gekündigt|beschwerde|vorwurf|vorwürfe|belästig|mobbing|ermittl
        freigestellt|fehlverhalten
        verdacht|diebstahl|anhörung|pflichtverletz|zeugin|zeuge\b
        avertissement|harcèlement|licenci|plainte|enquête|faute|mise à pied|sanction|témoin|signalement
        amonestaci|acoso|despid|denuncia|expediente|investigaci|falta (?:grave|leve)|sanci[óo]n|queja|testig
        """
    ),
    Topic.BOARD: _compile(
        r"""
        acqui(?:re|si|ring)|merger|takeover|divest|sale of the|sell (?:the|our)|lay-?offs?|redundanc
        headcount reduction
        restructur|clos(?:e|ure|ing) (?:the|of|our)|shut ?down|relocat|preliminary results|unaudited
        profit warning|forecast
        valuation|offer price|bidder|due diligence|term sheet|letter of intent|funding round|run ?way|insolven
        liquidity
        successor|succession|replace (?:the )?(?:CEO|director|head)|new (?:CEO|director) |strategy
        price increase|launch
        übernahme|fusion|stellenabbau|schließ(?:en|ung)|personalabbau|verkauf de|umstruktur|quartalszahlen
        insolvenz|standort
        nachfolge|kaufpreis
        rachat|fusion|acquisition|fermeture|suppressions? (?:de|d[’']) ?postes?|plan social|restructuration
        résultats|cession
        adquisici|fusi[óo]n|cierre de|despidos|reestructur|venta de|resultados|compra de|ERE\b
        """
    ),
    Topic.LEGAL: _compile(
        r"""
        privileged|legal (?:advice|opinion|exposure|risk)|our (?:counsel|lawyers?|solicitors?|barrister)
        external counsel
        settle(?:ment|d|\b)|litigat|lawsuit|claim(?:ant|s)? (?:against|for|of)|plaintiff|defendant
        without prejudice|tribunal
        court\b|damages|liabilit|infring|statute of limitations|injunction|mediation|arbitrat|witness statement
        concede
        vergleich|rechtsanwalt|anwält|anwalt|kanzlei|klage|rechtsstreit|prozess(?:risiko|strategie)
        schadensersatz|haftung
        arbeitsgericht|gegenseite
        avocat|transaction\b|transiger|litige|contentieux|procès|prud[’']hom|dommages|assign|partie adverse
        abogad|acuerdo (?:extrajudicial|transaccional)|demanda|litigio|pleito|juicio|indemniza|responsabilidad
        """
    ),
    Topic.PERSONAL: _compile(
        r"""
        passport|national (?:id|insurance)|social security|SSN\b|ID (?:card|number)|identity card
        driving licen[cs]e
        date of birth|born (?:on )?\d|D\.?O\.?B\.?\b|IBAN|account (?:no|number)|sort code|bank details
        home address|private address
        next of kin|emergency contact|private (?:mobile|phone|number)|home phone|marital status|religion
        nationality
        children:|spouse|tax (?:id|number|code)
        geburtsdatum|geboren am|geb\.|ausweis|reisepass|steuer-?id|sozialversicherungs|kontonummer
        bankverbindung|privatadresse
        notfallkontakt|familienstand|konfession|wohnhaft|privatanschrift
        né[e]? le|date de naissance|passeport|carte d[’']identité|sécurité sociale|numéro fiscal|RIB\b|domicile
        adresse personnelle
        personne à prévenir|situation familiale
        nacid[oa]|fecha de nacimiento|pasaporte|DNI\b|NIE\b|seguridad social|cuenta bancaria|domicilio
        contacto de emergencia
        estado civil
        """
    ),
}

# Who should not learn of it, or not yet.
NOT_FOR_ALL = _compile(
    r"""
    strictly (?:private|confidential)|private and confidential|in (?:strict )?confidence
    confidential(?:ly)?\b|embargo
    not (?:yet )?(?:be )?(?:announced|public|known|disclosed|communicated|shared|discussed|told)
    before (?:the|any|we) announce
    until (?:the|it is|we) announce|ahead of the announcement|unannounced
    do not (?:forward|share|distribute|copy|tell|mention)
    not for (?:circulation|distribution|further)|keep (?:this|it) (?:between|quiet|to)
    for (?:the )?(?:board|HR|management) only
    board only|eyes only|inside information|insider|need[- ]to[- ]know
    must not (?:leak|leave|reach|be told|learn|know)
    nobody (?:else )?(?:knows|should know)|has not been (?:told|informed)|have not been (?:told|informed)
    code ?name|project [A-Z]\w+
    sensitive|off the record|discreet|say nothing
    (?:streng )?vertraulich|nicht (?:weiter(?:geben|leiten)|öffentlich|bekannt|verteilen)
    vor (?:der )?(?:bekanntgabe|ankündigung)
    noch nicht|nur für (?:den|die) (?:vorstand|geschäftsführung|personal)|bitte nicht|unter uns
    stillschweigen|intern bleiben
    (?:strictement )?confidentiel|ne pas (?:diffuser|communiquer|transférer|divulguer)|avant l[’']annonce
    pas encore
    réservé (?:au|à la)|sous embargo|discrétion
    (?:estrictamente )?confidencial|no (?:difundir|compartir|reenviar|divulgar|comunicar)|antes del anuncio
    todavía no|aún no
    sólo para|solo para|reservad[oa]
    """
)
# Of these a document says by itself that few are to read it.
STRONG_MARK = _compile(
    r"""
    strictly (?:private|confidential)|private and confidential
    (?:for|to) (?:the )?(?:board|HR|management|directors) only
    eyes only|do not (?:forward|distribute|share (?:this|outside|with))
    not for (?:circulation|distribution|onward)
    privileged (?:and|&) confidential|embargoed until|HR (?:file|confidential)
    streng vertraulich|nur für (?:den|die) (?:vorstand|geschäftsführung|personal)
    nicht weiter(?:geben|leiten)
    strictement confidentiel|ne pas (?:diffuser|transférer|divulguer)|estrictamente confidencial
    no (?:difundir|reenviar|divulgar)
    """
)
# Who speaks of everybody: rules, offers, published texts, forms to be filled in, textbooks.
FOR_EVERYBODY = _compile(
    r"""
    polic(?:y|ies)
    all (?:employees|staff|colleagues|members|members of staff|teachers|pupils|residents|customers|patients)
    (?:employees|staff|members|colleagues|managers|you|applicants) (?:must|may|can|should|are entitled|receive|will)
    (?:employees|staff|members|managers|you|applicants) (?:have to|need)
    (?:patients|pupils|parents) (?:must|may|can|should|are entitled|receive|will|have to|need)
    every (?:employee|member|colleague)|anyone|everyone|whoever|eligib|entitle|your\b|how to\b
    guid(?:e|ance|eline)|handbook|FAQ
    procedure|apply (?:now|by|for)|vacanc|we offer|we are looking|job (?:advert|description)|salary band
    pay (?:band|scale|grade)
    collective agreement|tariff|press release|for immediate release|media contact|announced (?:today|that)
    published|annual report
    minutes of the public|open to the public|template|\[[\w ]{2,30}\]|_{3,}|example|for instance|chapter
    exercise|learning
    privacy notice|data protection|your rights|terms and conditions|in general|typical|usually|as a rule
    first aid|menu|opening hours
    reception|booking|court (?:held|found|ruled)|judgment|reporters?|newspaper|according to
    richtlinie|alle (?:mitarbeit|beschäftigt|kolleg|eltern|schüler)
    (?:beschäftigte|mitarbeitende|mitarbeiter|sie) (?:müssen|dürfen|können|erhalten|haben)
    merkblatt|leitfaden|handbuch|anleitung|anspruch|grundsätzlich|bewerb|stellenausschreibung|wir bieten
    wir suchen|entgeltgruppe
    tarif|pressemitteilung|veröffentlich|muster\b|vorlage|beispiel|kapitel|datenschutz|erste hilfe
    speiseplan|öffnungszeiten|ihre?\b
    politique|tous les (?:salari|employ|collab|agents|parents)
    (?:les salariés|vous) (?:doi|peu|reçoi|avez|pouvez|devez)|votre|vos
    guide|règlement|procédure|candidat|offre d[’']emploi|nous recherchons|grille|convention collective
    communiqué|publié|modèle
    exemple|chapitre|premiers secours|menu\b|horaires
    política|tod[oa]s l[oa]s (?:emplead|trabajador|personas|alumn)
    (?:los empleados|usted|las personas) (?:debe|puede|recib|tiene)
    su\b|sus\b|guía|manual|procedimiento|convocatoria|oferta de empleo|buscamos|ofrecemos|convenio
    tabla salarial|comunicado
    nota de prensa|publicad|plantilla|ejemplo|capítulo|primeros auxilios|menú|horario
    """
)
FOR_EVERYBODY_TITLE = _compile(
    r"""
    polic|guid|handbook|manual|how (?:to|we|do)|FAQ|press|news|job|vacanc|career|advert|template|form\b
    notice|code of|scale
    table of|tariff|menu|benefits|chapter|lecture|unit \d|introduction|textbook|annual report|public
    directory|first aid|rules
    procedure|training|leaflet|brochure|product|terms|judgment|ruling|decision of
    richtlinie|leitfaden|handbuch|merkblatt|anleitung|presse|stellen|ausschreib|muster|vorlage|tarif
    entgelttabelle|ordnung|kapitel
    satzung|speiseplan|telefonverzeichnis|jahresbericht|urteil
    politique|guide|règlement|procédure|communiqué|offre|modèle|grille|chapitre|annuaire|rapport annuel
    charte|notice|menu
    política|guía|manual|procedimiento|comunicado|oferta|convocatoria|plantilla|tabla|capítulo|directorio
    informe anual|código|menú
    """
)

_TITLED = (
    r"(?:Ms|Mrs|Mr|Miss|Mx|Dr|Prof|Herrn?|Frau|Fr|Hr|M|Mme|Mlle|Monsieur|Madame|Sr|Sra|Srta|Señora?|Don|Doña|Sister|Nurse)\.?"
    r" [A-ZÀ-Þ][\w'’-]{1,30}"
)
_FULL = (
    r"[A-ZÀ-Þ][a-zß-ÿ'’-]{1,20}(?: (?:von|van|de|del|der|di|da|la|le|el|ben|bin|O['’]))?[ \t](?:[A-ZÀ-Þ]\. )?"
    r"[A-ZÀ-Þ][a-zß-ÿ'’]{1,20}(?:-[A-ZÀ-Þ][\w]{1,20})?"
)
PERSON = re.compile(
    rf"(?<![\w.])(?:{_TITLED}|[A-ZÀ-Þ]\. ?[A-ZÀ-Þ][a-zß-ÿ'’-]{{2,20}}|{_FULL}"
    r"|[A-ZÀ-Þ][a-zß-ÿ]{1,20} [A-ZÀ-Þ]\.)(?!\w)"
    r"|\b(?:employee|staff|personnel|patient|case|client|pupil) (?:no\.?|number|id|#) ?[A-Z]{0,3}-?\d{2,8}",
)
ABOUT_ONE = re.compile(
    r"\b(?:she|her|hers|he|his|him|seine[mnrs]?|ihr[emns]?|elle|lui|sa|ella|suy[oa])\b", re.IGNORECASE
)
AMOUNT = re.compile(
    r"(?:[€$£]|EUR|USD|GBP|CHF)[ \xa0]?\d"
    r"|\d[ \xa0]?(?:[€$£]|EUR\b|USD\b|GBP\b|CHF\b|euros?\b|dollars?\b|pounds?\b|francs?\b|k\b)"
    r"|\b\d{1,3}[.,' \xa0]\d{3}\b|\b\d{4,6}\b|\b\d{1,2}(?:[.,]\d)? ?(?:%|percent|per cent|Prozent|million)",
    re.IGNORECASE,
)
DAY = re.compile(
    r"\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|\b\d{4}-\d{2}-\d{2}\b"
    r"|\b\d{1,2}\.? (?:[A-Z][a-zéû]{2,9}|de [a-z]{4,10}) \d{4}\b"
)
IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
ID_NUMBER = re.compile(
    r"\b(?:\d{3}-\d{2}-\d{4}|[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]"
    r"|[12] ?\d{2} ?\d{2} ?\d{2} ?\d{3} ?\d{3}(?: ?\d{2})?"
    r"|\d{8}-?[A-HJ-NP-TV-Z]|[A-Z]{1,2}\d{6,8}[A-Z]?\d?|[CFGHJKLMNPRTVWXYZ0-9]{9}|\d{2} \d{6} [A-Z] \d{3})\b"
)
# Of what else has capitals one after the other.
NOBODY = frozenset(
    """
    the our your this that all any each every no we you they it he she i a an and or but if when where who how
    what why annual report human resources board bank street road avenue lane court house hall park square
    company limited ltd inc llc gmbh ag plc corp group department office team school hospital university college
    institute council committee ministry city county state federal national international north south east west
    new united kingdom states general january february march april may june july august september october
    november december monday tuesday wednesday thursday friday saturday sunday first second third fourth next
    last dear regards sincerely best kind project phase section chapter part page table figure appendix article
    act law code policy procedure guide handbook form version chief executive officer director manager head
    president vice chair chairman secretary treasurer deputy senior junior total gross net salary bonus pay date
    name address phone email number status notes room building floor site plant der die das den dem des ein eine
    einen einem einer wir sie ihr ihre ihren unser unsere bei für mit von zu im am zum zur auf aus nach seit
    über unter vor alle jede jeder kein keine und oder aber wenn dass als bitte januar februar märz mai juni
    juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag le la les un une des du de
    au aux nous vous ils elles il elle ce cette ces notre votre nos vos pour par avec sans dans sur sous janvier
    février mars avril juin juillet août septembre octobre novembre décembre lundi mardi mercredi jeudi vendredi
    samedi dimanche rue avenue place société sarl sa el los las una unos unas del al nosotros usted ustedes este
    esta estos estas nuestro nuestra para por con sin enero febrero marzo abril mayo junio julio agosto
    septiembre octubre noviembre diciembre lunes martes miércoles jueves viernes calle plaza sociedad sl
    """.split()  # noqa: SIM905
)
