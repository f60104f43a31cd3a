package dev.rota.crash.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.DeliveryMode;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.crash.CrashRun;
import dev.rota.crash.accounts.Disturbances;
import dev.rota.crash.campaign.audit.CampaignAccounts;
import dev.rota.crash.campaign.audit.LostPast;
import dev.rota.crash.server.ControlledServer;
import dev.rota.crash.server.FaultProxy;
import dev.rota.processes.DaemonProcess;
import dev.rota.processes.JavaProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The environment of a campaign: a server, two producers, two workers and a daemon in separate
 * processes. Each process is behind a separate network; a directory has their accounts.
 * Thread-safe.
 */
final class CampaignEnvironment implements AutoCloseable {

  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final int TWO = 2;
  private static final long ROTATION_MILLIS = 1_000;
  private static final long SEGMENT_BYTES = 1 << 20;

  private static final String NOT_OF_THE_TEST =
      """
      select pid || ' ' || application_name from pg_stat_activity
       where backend_type = 'client backend' and application_name <> '%s'"""
          .formatted(ControlledServer.TEST_SESSIONS);

  private final Path directory;
  private final DeliveryMode mode;
  private final Load load;
  private final List<LostPast> lostPasts = new CopyOnWriteArrayList<>();
  private volatile ControlledServer server;
  private final Rota rota;
  private final List<Tenant> tenants;
  private final ProducerLog log;
  private final Disturbances disturbances = new Disturbances(LEASE);
  private final ReentrantLock serverLock = new ReentrantLock();
  private final AtomicInteger producerNumbers = new AtomicInteger();
  private final AtomicInteger marks = new AtomicInteger();
  private final List<ProcessSupervisor> producers = new ArrayList<>();
  private final List<ProcessSupervisor> workers = new ArrayList<>();
  private final List<ProcessSupervisor> daemons = new ArrayList<>();
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  /**
   * Starts all processes.
   *
   * @param directory the existing directory of the logs
   * @param load the load to apply
   */
  CampaignEnvironment(Path directory, DeliveryMode mode, Load load) throws Exception {
    this.directory = directory;
    this.mode = mode;
    this.load = load;
    this.server = closeLater(ControlledServer.start(load.major()));
    this.log = closeLater(new ProducerLog(directory.resolve("producer-0.tasks")));
    this.rota = closeLater(Rota.builder(server.jdbcUrlOfTest()).poolSize(TWO).build());
    rota.admin().migrate();
    this.tenants = rota.tenants().registerAll(CampaignTenants.NAMES);
    // Faults name tables, also of tenants whose first task has not come.
    for (Tenant tenant : tenants) {
      server.execute("select rota.open_tenant(%d)".formatted(tenant.number()));
    }
    server.execute(
        "create table effect (mark bigint, task bigint, attempt int);"
            + " create table ordered (mark bigint)");
    try {
      assertThat(server.texts(NOT_OF_THE_TEST))
          .as("sessions taken for those of processes")
          .isEmpty();
      startProcesses();
    } catch (IOException | SQLException | RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  private void startProcesses() throws IOException, InterruptedException {
    daemons.add(supervisor("daemon", this::launchDaemon));
    for (int i = 1; i <= TWO; i++) {
      workers.add(supervisor("worker-" + i, this::launchWorker));
      producers.add(supervisor("producer-" + i, this::launchProducer));
    }
  }

  private ProcessSupervisor supervisor(String role, ProcessSupervisor.Launcher launcher)
      throws IOException, InterruptedException {
    FaultProxy network = FaultProxy.to(server.port());
    return closeLater(new ProcessSupervisor(role, network, server.jdbcUrl(), launcher));
  }

  private <T extends AutoCloseable> T closeLater(T closeable) {
    opened.addFirst(closeable);
    return closeable;
  }

  private JavaProcess launchDaemon(String name, String url) throws IOException {
    return launch(
        name,
        DaemonProcess.class,
        url,
        Long.toString(ROTATION_MILLIS),
        Long.toString(SEGMENT_BYTES));
  }

  private JavaProcess launchWorker(String name, String url) throws IOException {
    return launch(
        name,
        CampaignWorker.class,
        url,
        runLog(name).toString(),
        mode.name(),
        Long.toString(LEASE.toMillis()),
        Integer.toString(load.concurrency()),
        Integer.toString(load.aWhileMillis()),
        seed(name));
  }

  private JavaProcess launchProducer(String name, String url) throws IOException {
    return launch(
        name,
        ProducerProcess.class,
        url,
        directory.resolve(name + ".tasks").toString(),
        Integer.toString(producerNumbers.incrementAndGet()),
        Integer.toString(load.tasksASecond() / TWO),
        seed(name));
  }

  /** The seed of a process, equal for its name in each run with the same seed. */
  private static String seed(String name) {
    return Long.toString(31 * CrashRun.seed() + name.hashCode());
  }

  private JavaProcess launch(String name, Class<?> main, String... arguments) throws IOException {
    ProcessBuilder.Redirect errors =
        ProcessBuilder.Redirect.to(directory.resolve(name + ".err").toFile());
    return JavaProcess.launch(errors, main, arguments);
  }

  private Path runLog(String name) {
    return directory.resolve(name + ".runs");
  }

  ControlledServer server() {
    return server;
  }

  /** Directs all processes to this server in place of the dead one. */
  void moveTo(ControlledServer next) {
    server = closeLater(next);
    for (ProcessSupervisor supervisor : supervisors()) {
      supervisor.network().pointTo(next.port());
      supervisor.network().cutAll();
    }
  }

  /** The periods whose acknowledgements were lost with a server. */
  List<LostPast> lostPasts() {
    return lostPasts;
  }

  /** The lock of code that stops and starts the server. */
  ReentrantLock serverLock() {
    return serverLock;
  }

  List<ProcessSupervisor> producers() {
    return producers;
  }

  List<ProcessSupervisor> workers() {
    return workers;
  }

  ProcessSupervisor daemon() {
    return daemons.get(0);
  }

  /** All running processes. */
  List<ProcessSupervisor> supervisors() {
    List<ProcessSupervisor> all = new ArrayList<>(workers);
    all.addAll(producers);
    all.addAll(daemons);
    return all;
  }

  List<Tenant> tenants() {
    return tenants;
  }

  Duration lease() {
    return LEASE;
  }

  Disturbances disturbances() {
    return disturbances;
  }

  /** The accounts of tasks that the faults themselves enqueue, as producer 0. */
  ProducerLog log() {
    return log;
  }

  /** The next mark of producer 0. */
  long nextMark() {
    return CampaignAccounts.mark(0, marks.incrementAndGet());
  }

  /** The first of the next {@code count} marks of producer 0. */
  long nextMarks(int count) {
    return CampaignAccounts.mark(0, marks.getAndAdd(count) + 1);
  }

  DeliveryMode mode() {
    return mode;
  }

  Path directory() {
    return directory;
  }

  @Override
  public void close() throws Exception {
    Exception trouble = null;
    for (AutoCloseable each : opened) {
      try {
        each.close();
      } catch (Exception e) {
        trouble = e;
      }
    }
    if (trouble != null) {
      throw trouble;
    }
  }
}
