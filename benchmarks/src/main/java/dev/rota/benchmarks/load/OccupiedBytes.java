package dev.rota.benchmarks.load;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The sizes of a database's tables in bytes, with their indexes and TOAST tables.
 *
 * @param rings all slots of all tenants
 * @param history all segments of all tenants
 * @param ledger all segments of the ledger
 * @param catalog the tables of the server's own catalog
 */
public record OccupiedBytes(long rings, long history, long ledger, long catalog) {

  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("rings", rings);
    fields.put("history", history);
    fields.put("ledger", ledger);
    fields.put("catalog", catalog);
    return fields;
  }
}
