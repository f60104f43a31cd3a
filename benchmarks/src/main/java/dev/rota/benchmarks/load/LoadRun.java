package dev.rota.benchmarks.load;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.benchmarks.load.LoadResult.Audit;
import dev.rota.benchmarks.load.LoadResult.Rates;
import dev.rota.benchmarks.load.LoadResult.Series;
import dev.rota.benchmarks.load.LoadResult.Server;
import dev.rota.benchmarks.load.LoadSettings.Production;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.daemon.DaemonStatistics;
import dev.rota.daemon.RotationDaemon;
import java.security.SecureRandom;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jooq.CloseableDSLContext;

/** Runs producers, a worker and a rotation daemon in this JVM at once for a time. */
public final class LoadRun {

  /**
   * The connections beside those of the producers: claims, settling, daemon, heartbeats, discovery,
   * listening.
   */
  private static final int OTHER_CONNECTIONS = 10;

  /** The lead time until all threads of the producers have started. */
  private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final int LEAST_PAYLOAD_LIMIT = 65_536;

  private final CommandDatabase database;
  private final LoadSettings settings;
  private final boolean sizesWanted;
  private final LoadProgress progress;
  private final String run =
      Long.toString(new SecureRandom().nextLong() >>> 28, Character.MAX_RADIX);

  public LoadRun(
      CommandDatabase database, LoadSettings settings, boolean sizesWanted, LoadProgress progress) {
    this.database = database;
    this.settings = settings;
    this.sizesWanted = sizesWanted;
    this.progress = progress;
  }

  /** Runs the load. Its tenants are new ones; they stay in the database, with their history. */
  public LoadResult run() throws InterruptedException {
    Production production = settings.production();
    try (Rota rota =
        database
            .rotaBuilder()
            .poolSize(production.threads() + OTHER_CONNECTIONS)
            .payloadLimit(Math.max(LEAST_PAYLOAD_LIMIT, production.payloadBytes()))
            .build()) {
      progress.stage("migrating the schema");
      rota.admin().migrate();
      progress.stage("registering " + settings.tenancy().tenants() + " tenants");
      List<Tenant> tenants = rota.tenants().registerAll(names());
      progress.stage("running for " + settings.timing().measured().toSeconds() + " s");
      return measure(rota, tenants);
    }
  }

  private LoadResult measure(Rota rota, List<Tenant> tenants) throws InterruptedException {
    String kind = "bench." + run;
    try (CloseableDSLContext context = database.connect();
        HeldSnapshot held = HeldSnapshot.take(settings.rotation().holdSnapshot(), database);
        RotationDaemon daemon = daemon(rota);
        SizeWatch sizes =
            SizeWatch.start(sizesWanted, database, () -> daemon.statistics().rotations())) {
      ServerProbe probe = new ServerProbe(context, database.schema());
      long position = probe.logPosition();
      Consumer consumer = new Consumer(settings.consumption());
      try (Worker worker = consumer.start(rota, kind)) {
        LoadFlow flow = LoadFlow.of(settings, System.nanoTime() + LEAD_NANOS);
        consumer.begin(flow);
        try (Producers producers = Producers.start(tenants, kind, settings, flow)) {
          Observation observation = new Observation(flow, producers, worker, daemon, progress);
          Rates rates = observation.finish(settings.timing().patience());
          Server server = server(probe, position, daemon.statistics());
          Audit audit = audit(flow, observation.settled());
          Series series =
              new Series(
                  observation.samples(), sizes.finish(), flow.latencies().total(), probe.sizes());
          return new LoadResult(settings, rates, audit, server, series);
        }
      }
    }
  }

  private RotationDaemon daemon(Rota rota) {
    LoadSettings.Rotation rotation = settings.rotation();
    return RotationDaemon.builder(rota)
        .rotateEvery(rotation.period())
        .segmentBytes(rotation.segmentBytes())
        .keepHistory(rotation.keep())
        .keepLedger(rotation.keep())
        .start();
  }

  private static Server server(ServerProbe probe, long position, DaemonStatistics rotated) {
    return new Server(
        probe.version(),
        probe.durable(),
        probe.logPosition() - position,
        rotated.rotations(),
        rotated.postponed());
  }

  /** Audits the tasks. Calls that no producer made had waited at least until the end. */
  private Audit audit(LoadFlow flow, long settled) {
    int batch = settings.production().batch();
    long end = flow.timeline().end();
    long unsent = flow.pace().countUnsent(due -> flow.latencies().record(due, end, batch));
    Accounting accounting = flow.accounting();
    return new Audit(
        accounting.enqueued(), settled, accounting.lost(), accounting.duplicated(), unsent * batch);
  }

  private List<String> names() {
    return IntStream.range(0, settings.tenancy().tenants())
        .mapToObj(i -> String.format(Locale.ROOT, "bench-%s-%05d", run, i))
        .toList();
  }
}
