-- Takes away what restore --replace puts a backup in the place of: all that stands in the schemas public and reporting
-- and belongs to no extension. The schemas stay, with the rights given in them.
CREATE TEMPORARY VIEW footnote_ours AS
SELECT n.nspname, c.relname, c.relkind
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname IN ('public', 'reporting')
  AND NOT EXISTS (
      SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
  );
DO $$
DECLARE found record;
BEGIN
    FOR found IN SELECT * FROM footnote_ours WHERE relkind IN ('v', 'm') LOOP
        EXECUTE format('DROP %s IF EXISTS %I.%I CASCADE',
            CASE found.relkind WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'VIEW' END, found.nspname, found.relname);
    END LOOP;
    FOR found IN SELECT * FROM footnote_ours WHERE relkind IN ('r', 'p') LOOP
        EXECUTE format('DROP TABLE IF EXISTS %I.%I CASCADE', found.nspname, found.relname);
    END LOOP;
    FOR found IN SELECT * FROM footnote_ours WHERE relkind = 'S' LOOP
        EXECUTE format('DROP SEQUENCE IF EXISTS %I.%I CASCADE', found.nspname, found.relname);
    END LOOP;
    FOR found IN SELECT p.oid::regprocedure::text AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
        WHERE n.nspname = 'public' AND NOT EXISTS (SELECT 1 FROM pg_depend d
            WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e') LOOP
        EXECUTE format('DROP ROUTINE IF EXISTS %s CASCADE', found.name);
    END LOOP;
    FOR found IN SELECT t.oid::regtype::text AS name FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
        WHERE n.nspname = 'public' AND (t.typtype IN ('e', 'd') OR (t.typtype = 'c' AND EXISTS (
            SELECT 1 FROM pg_class c WHERE c.oid = t.typrelid AND c.relkind = 'c'))) AND NOT EXISTS (
            SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e')
    LOOP
        EXECUTE format('DROP TYPE IF EXISTS %s CASCADE', found.name);
    END LOOP;
    FOR found IN SELECT dictname AS name FROM pg_ts_dict d JOIN pg_namespace n ON n.oid = d.dictnamespace
        WHERE n.nspname = 'public' LOOP
        EXECUTE format('DROP TEXT SEARCH DICTIONARY IF EXISTS public.%I CASCADE', found.name);
    END LOOP;
    FOR found IN SELECT cfgname AS name FROM pg_ts_config c JOIN pg_namespace n ON n.oid = c.cfgnamespace
        WHERE n.nspname = 'public' LOOP
        EXECUTE format('DROP TEXT SEARCH CONFIGURATION IF EXISTS public.%I CASCADE', found.name);
    END LOOP;
END $$;
DROP VIEW footnote_ours;
