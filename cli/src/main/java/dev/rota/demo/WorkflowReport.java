package dev.rota.demo;

import dev.rota.demo.DemoReport.Audit;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The result of a demo of a workflow, over all copies.
 *
 * @param nodes the number of tasks of all graphs
 * @param edges the number of dependencies of all graphs
 * @param violated dependencies whose child began before the parent had ended
 * @param audit the result of the audit of the tables
 * @param totalSeconds from the first enqueue until all tasks were settled
 */
public record WorkflowReport(
    long nodes, long edges, long violated, Audit audit, double totalSeconds) {

  /**
   * The number of tasks that are in no table, have not ended, or are done in the tables though
   * their handler never ran.
   *
   * @return the count
   */
  public long lost() {
    return audit.defects().lost() + audit.defects().pending();
  }

  /**
   * Whether every task ended once, and after all its parents.
   *
   * @return true if nothing is violated, lost or duplicated
   */
  public boolean isFlawless() {
    return violated == 0 && audit.defects().none() && audit.done() == nodes;
  }

  /**
   * The fields by name, in the order in which they are printed.
   *
   * @return a modifiable map
   */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("nodes", nodes);
    fields.put("edges", edges);
    fields.put("done", audit.done());
    fields.put("violated", violated);
    fields.put("lost", lost());
    fields.put("duplicated", audit.defects().duplicated());
    fields.put("totalSeconds", Math.round(totalSeconds * 1_000) / 1_000.0);
    return fields;
  }
}
