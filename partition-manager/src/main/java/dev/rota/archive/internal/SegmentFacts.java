package dev.rota.archive.internal;

import java.util.LinkedHashMap;
import java.util.Map;

/** What the metadata of a file with a segment says of it. */
public final class SegmentFacts {

  /** The name of the tenant. */
  public static final String TENANT_NAME = "rota_tenant_name";

  private static final String FORMAT = "1";

  private SegmentFacts() {}

  /** Of one file. */
  public static Map<String, String> of(int tenant, String name, int segment, long rows) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("rota_format", FORMAT);
    facts.put("rota_tenant", Integer.toString(tenant));
    facts.put(TENANT_NAME, name);
    facts.put("rota_segment", Integer.toString(segment));
    facts.put("rota_rows", Long.toString(rows));
    return facts;
  }
}
