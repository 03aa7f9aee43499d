-- Memory that an ask requires is in GiB and has a name of its own: ram_min and ram_max are those of Galaxy, in MiB. A kept decision
-- can so be made again.
UPDATE "ask" SET "inputs" = jsonb_set("inputs", '{job,tool,requirements}', (
    SELECT jsonb_agg(CASE WHEN r.item ->> 'type' IN ('ram_min', 'ram_max')
        THEN jsonb_set(r.item, '{type}', to_jsonb(replace(r.item ->> 'type', 'ram_', 'mem_'))) ELSE r.item END ORDER BY r.place)
    FROM jsonb_array_elements("inputs" #> '{job,tool,requirements}') WITH ORDINALITY AS r(item, place)))
WHERE "inputs" @? '$.job.tool.requirements[*] ? (@.type == "ram_min" || @.type == "ram_max")';
