package dev.rota.benchmarks.rivals;

/** Gives each tenant the same number of tasks, in batches, by four producers at once. */
final class Filling {

  private static final int THREADS = 4;
  private static final int MOST_TOGETHER = 1_000;

  private Filling() {}

  static void fill(Contender contender, int tenants, int tasks) throws Exception {
    int each = tasks / tenants;
    try (Crew crew = new Crew(THREADS)) {
      crew.run(
          member -> {
            try (RivalProducer producer = contender.producer()) {
              for (int tenant = member; tenant < tenants; tenant += THREADS) {
                fillTenant(producer, tenant, each);
              }
            }
          });
    }
  }

  private static void fillTenant(RivalProducer producer, int tenant, int each) throws Exception {
    for (int left = each; left > 0; left -= MOST_TOGETHER) {
      producer.enqueue(tenant, Math.min(left, MOST_TOGETHER));
    }
    producer.await();
  }
}
