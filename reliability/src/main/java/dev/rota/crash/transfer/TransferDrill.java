package dev.rota.crash.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Tenant;
import dev.rota.archive.ObjectStore;
import dev.rota.crash.Steps;
import dev.rota.processes.JavaProcess;
import dev.rota.transfer.TenantTransfer;
import dev.rota.transfer.TransferFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Exports and imports one tenant by processes that are killed, checked and repeated. */
final class TransferDrill implements AutoCloseable {

  private final Path folder;
  private final TransferFixture source;
  private final TransferFixture target;
  private final Tenant tenant;
  private final Map<String, List<String>> state;
  private final Map<String, Integer> kills = new TreeMap<>();
  private int moves;

  TransferDrill(Path folder) throws Exception {
    this.folder = folder;
    this.source = new TransferFixture(folder.resolve("source"));
    this.target = new TransferFixture(folder.resolve("target"));
    this.tenant = source.withArchive("acme");
    source.enrich(tenant).settle();
    this.state = source.state(tenant.number());
  }

  /** The number of killed processes by step. */
  Map<String, Integer> kills() {
    return kills;
  }

  /** The number of steps of an export or import, and the moments among them. */
  private record Course(int steps, List<String> moments) {

    /** Chooses a step: each moment, then any step by its number. */
    String step(int kill, Random random) {
      return kill < moments.size()
          ? moments.get(kill)
          : Integer.toString(1 + random.nextInt(steps));
    }
  }

  private Course course(String what, String name) throws Exception {
    try (JavaProcess process = process(what, name, folder.resolve("whole"), Steps.NONE)) {
      assertThat(process.nextLine()).isEqualTo(TransferProcess.DONE);
      int steps = Integer.parseInt(process.nextLine());
      return new Course(steps, Steps.parse(process.nextLine()));
    }
  }

  /**
   * Kills exports and imports, first at each of their moments.
   *
   * @param least the least number of kills, both together
   * @return the names of all moments, as in {@link #kills}
   */
  Set<String> kill(int least, Random random) throws Exception {
    Course export = course("export", "acme");
    Course arrival = course("import", "whole");
    int most = Math.max(export.moments().size(), arrival.moments().size());
    for (int i = 0; i < Math.max(most, least / 2); i++) {
      Path to = folder.resolve("export-" + ++moves);
      killExport(to, export.step(i, random));
      killImport(to, "acme " + moves, arrival.step(i, random));
    }
    Set<String> all = new TreeSet<>();
    export.moments().forEach(name -> all.add("export: " + name));
    arrival.moments().forEach(name -> all.add("import: " + name));
    return all;
  }

  private void killExport(Path export, String step) throws Exception {
    String reached = run("export", "acme", export, step);
    String when = "export killed at step " + step + ", " + reached;
    count("export: ", reached);
    assertThat(source.state(tenant.number())).as(when).isEqualTo(state);
    if (!Files.exists(export.resolve("manifest.json"))) {
      int files =
          TenantTransfer.over(source.rota(), source.archive()).exportTenant("acme", export).files();
      assertThat(files).as(when).isPositive();
    }
  }

  private void killImport(Path export, String name, String step) throws Exception {
    String reached = run("import", name, export, step);
    String when = "import killed at step " + step + ", " + reached;
    count("import: ", reached);
    for (String number :
        target.texts("select number from rota.tenant where importing and name = '" + name + "'")) {
      int importing = Integer.parseInt(number);
      Map<String, List<String>> half = target.state(importing);
      assertThat(half.get("pending")).as(when).isEmpty();
      assertThat(half.get("history")).as(when).isEmpty();
      assertThat(target.texts("select closed from rota.tenant where number = " + number))
          .as(when)
          .containsExactly("t");
    }
    int number =
        TenantTransfer.over(target.rota(), target.archive()).importTenant(export, name).number();
    Map<String, List<String>> moved = target.state(number);
    for (Map.Entry<String, List<String>> each : state.entrySet()) {
      assertThat(moved.get(each.getKey()))
          .as(when + ": " + each.getKey())
          .isEqualTo(each.getValue());
    }
  }

  /**
   * Counts a kill. A process that came to its end, since a step was left out by chance, was not
   * killed.
   */
  private void count(String what, String reached) {
    if (!reached.equals(TransferProcess.DONE)) {
      kills.merge(what + reached, 1, Integer::sum);
    }
  }

  /** Runs a process, and returns its last line. */
  private String run(String what, String name, Path export, String step) throws Exception {
    try (JavaProcess process = process(what, name, export, step)) {
      return process.nextLine();
    }
  }

  private JavaProcess process(String what, String name, Path export, String step) throws Exception {
    TransferFixture at = what.equals("export") ? source : target;
    return JavaProcess.start(
        TransferProcess.class,
        what,
        name,
        export.toString(),
        at.database().jdbcUrl(),
        at.kept().toString(),
        at.staging().toString(),
        step);
  }

  /** Checks that no unknown data are left. */
  void finish() throws Exception {
    assertThat(target.texts("select name from rota.tenant where importing")).isEmpty();
    try (ObjectStore store = ObjectStore.folder(target.kept())) {
      List<String> known = target.texts("select key from rota.archive");
      known.add("_rota_owner");
      assertThat(store.list("").stream().map(ObjectStore.StoredObject::key))
          .containsExactlyInAnyOrderElementsOf(known);
    }
  }

  @Override
  public void close() throws Exception {
    source.close();
    target.close();
  }
}
