/** The least that a reader of VOTables takes: one column, two rows. */
export const VOTABLE = `<?xml version="1.0" encoding="UTF-8"?>
<VOTABLE version="1.3" xmlns="http://www.ivoa.net/xml/VOTable/v1.3">
<RESOURCE type="results">
<INFO name="QUERY_STATUS" value="OK"/>
<TABLE>
<FIELD name="magnitude" datatype="double"/>
<DATA><TABLEDATA><TR><TD>17.5</TD></TR><TR><TD>21.25</TD></TR></TABLEDATA></DATA>
</TABLE>
</RESOURCE>
</VOTABLE>
`;
