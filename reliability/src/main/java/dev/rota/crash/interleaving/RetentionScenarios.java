package dev.rota.crash.interleaving;

import dev.rota.Batch;

/** InterleavingScenarios of opened and dropped segments of history and of the ledger. */
public final class RetentionScenarios {

  private RetentionScenarios() {}

  /** A claimer and a settler that do not know yet that their segment is sealed, or gone. */
  public static ScriptedScenario segments() {
    return ScriptedScenario.named("segments")
        .thatRetires()
        .given(
            environment -> {
              environment.enqueue(0, environment.task(), environment.task());
              environment.hold(1, 1);
            })
        .actor(
            "segment keeper",
            environment -> {
              environment.daemon(3).openSegment(environment.tenant(3).number());
              environment.daemon(3).retireSegments();
            })
        .actor("claimer", environment -> environment.work(2, 1))
        .actor("settler", RetentionScenarios::failAndSettle)
        .finallyDo(environment -> environment.daemon(3).retireSegments());
  }

  private static void failAndSettle(InterleavingEnvironment environment) {
    Batch batch = environment.held(0);
    environment.fail(batch, batch.tasks().get(0));
    environment.settle(batch);
  }

  /** Producers that take a tenant for one with tables while it is parked, and a claimer. */
  public static ScriptedScenario parking() {
    return parkingBeside("parking")
        .actor("other producer", TransactionScenarios::enqueueBySql)
        .actor("claimer", environment -> environment.work(2, 10));
  }

  /** The same with one producer: so few orders that the producer is between any two steps. */
  public static ScriptedScenario parkingBesideOne() {
    return parkingBeside("parking beside one");
  }

  private static ScriptedScenario parkingBeside(String name) {
    return ScriptedScenario.named(name)
        .thatRetires()
        .given(
            environment ->
                environment.execute(
                    "update rota.segment set opened_at = now() - interval '1 day';"
                        + "update rota.tenant set park_at = now() - interval '1 minute'"))
        .actor("parker", environment -> environment.daemon(3).park(environment.tenant(3).number()))
        .actor("producer", environment -> environment.enqueue(0, environment.task()));
  }

  /** The same race at a segment of the ledger, from which batches are settled and reaped. */
  public static ScriptedScenario ledger() {
    return ScriptedScenario.named("ledger")
        .thatRetires()
        .given(
            environment -> {
              environment.enqueue(0, environment.task(), environment.task());
              environment.hold(1, 1);
              environment.execute(
                  "update rota.ledger_segment set opened_at = now() - interval '1 day',"
                      + " sealed_at = sealed_at - interval '1 day'");
            })
        .actor(
            "ledger keeper",
            environment -> {
              environment.daemon(3).turnLedgerOver();
              environment.daemon(3).meter();
              environment.daemon(3).turnLedgerOver();
            })
        .actor("claimer", environment -> environment.work(2, 1))
        .actor("settler", RetentionScenarios::failAndSettle)
        .finallyDo(
            environment -> {
              environment.daemon(3).meter();
              environment.daemon(3).turnLedgerOver();
            });
  }

  /**
   * A daemon that meters a sealed segment of the ledger, while a worker settles a batch there, and
   * another one that does not know of the seal claims into it.
   */
  public static ScriptedScenario metering() {
    return ScriptedScenario.named("metering")
        .given(
            environment -> {
              environment.enqueue(0, environment.task(), environment.task());
              environment.hold(1, 1);
              environment.execute(
                  "update rota.ledger_segment set opened_at = now() - interval '1 day'");
              environment.daemon(3).turnLedgerOver();
            })
        .actor("meter", environment -> environment.daemon(3).meter())
        .actor("claimer", environment -> environment.work(2, 1))
        .actor("settler", RetentionScenarios::failAndSettle)
        .finallyDo(environment -> environment.daemon(3).meter())
        .then((environment, census) -> requireExactUsage(environment));
  }

  /** Compares the usage, with the segments that are not in it yet, and the history. */
  private static void requireExactUsage(InterleavingEnvironment environment) throws Exception {
    long used =
        environment.number(
            "select (select coalesce(sum(attempts), 0) from rota.usage)"
                + " + (select coalesce(sum(b.attempts), 0) from rota.task_batch b"
                + " join rota.ledger_segment s using (seq)"
                + " where s.metered_at is null and b.run_micros is not null)");
    long ended =
        environment.number(
            "select count(*) from "
                + environment.table("task_hist")
                + " where batch_id <> 0 and state not in ('running', 'lost', 'released')");
    if (used != ended) {
      throw new Violation("the usage has " + used + " attempts, and the history " + ended);
    }
  }
}
