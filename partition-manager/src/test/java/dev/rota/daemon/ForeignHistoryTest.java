package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.segment;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.Attempt;
import dev.rota.Batch;
import dev.rota.FatalTaskException;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Task;
import dev.rota.Tenant;
import dev.rota.archive.Archive;
import dev.rota.archive.ForeignHistory;
import dev.rota.archive.ObjectStore;
import dev.rota.history.ArchiveException;
import dev.rota.history.HistoryFilter;
import dev.rota.history.HistoryPage;
import dev.rota.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests reads of archived history by the API and with SQL. */
@RotaTest
@Tag("exhaustive")
class ForeignHistoryTest {

  private static final String ROWS =
      "select concat_ws('|', id, state, attempt, kind, payload, coalesce(parent_id, -1), created_at,"
          + " claimed_at, finished_at, coalesce(error, '-'), batch_id, segment, worker,"
          + " coalesce(key, '-'), priority, coalesce(headers, '-')) from ";
  private static final String TABLE = "rota_1.task_archive_1";

  @TempDir private Path folder;
  @Given private DaemonFixture fixture;
  private Archive archive;
  @Given private Tenant acme;
  private RotationDaemon daemon;
  private int archived;

  @BeforeEach
  void open() throws Exception {
    Path kept = Files.createDirectories(folder.resolve("kept"));
    archive =
        fixture.closeLater(
            Archive.in(ObjectStore.folder(kept))
                .grace(Duration.ZERO)
                .share(1)
                .stagingFolder(folder)
                .build());
  }

  /** Runs tasks with everything that is hard to write down, and archives their segment. */
  private List<String> archiveSome() throws Exception {
    acme.enqueueAll(
        List.of(
            NewTask.of("mail", "{\"to\": \"ünïcode 'quoted', 🙂\"}")
                .withKey("k" + archived)
                .withHeader("user", "é, \"x\""),
            NewTask.of("mail", ""),
            NewTask.of("mail", "\\N"),
            NewTask.of("mail", "two\nlines\r\n\"and\" a \\ tab\t")));
    acme.enqueue(NewTask.of("dies", "x").priority(5));
    for (int ended = 0; ended < 5; ) {
      try (Batch batch = acme.claim(10)) {
        for (Task task : batch) {
          ended++;
          if (task.kind().equals("dies")) {
            batch.fail(task, new FatalTaskException("no luck, \"really\""));
          }
        }
        batch.settle();
      }
    }
    int seq = Integer.parseInt(fixture.text("select current_segment from rota.tenant"));
    List<String> rows =
        fixture.texts(ROWS + "rota_1.task_hist_1 where segment = " + seq + " order by id");
    if (daemon == null) {
      daemon =
          fixture.daemon(
              builder -> builder.archive(archive).segmentBytes(0).keepHistory(Duration.ZERO));
    }
    Await.until(
        "segment " + seq + " is archived",
        () -> fixture.text("select to_regclass('" + segment(acme, seq) + "')").equals("null"));
    archived++;
    return rows;
  }

  private ForeignHistory foreign() throws Exception {
    return foreign(fixture.rota());
  }

  private ForeignHistory foreign(Rota rota) throws Exception {
    Path copies = Files.createDirectories(folder.resolve("copies"));
    for (Path each = copies; !each.equals(folder.getParent()); each = each.getParent()) {
      Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    return ForeignHistory.in(rota, archive, copies, copies);
  }

  private List<Path> copies() throws Exception {
    try (Stream<Path> all = Files.walk(folder.resolve("copies"))) {
      return all.filter(Files::isRegularFile).toList();
    }
  }

  @Test
  void theApiReadsWhatTheDaemonHasArchived() throws Exception {
    List<String> before = archiveSome();
    Rota reading = fixture.another(builder -> builder.archive(archive));
    HistoryPage page = reading.tenants().get("acme").history().page(HistoryFilter.all());
    assertThat(page.attempts()).hasSameSizeAs(before);
    assertThat(page.archive().opened())
        .singleElement()
        .asString()
        .matches("tenant=1/hour=\\S+Z/seq=1.parquet");
    assertThat(page.attempts()).extracting("payload").contains("", "\\N");
    assertThat(page.attempts())
        .extracting(Attempt::headers)
        .containsOnlyOnce(Map.of("user", "é, \"x\""))
        .contains(Map.of());
  }

  @Test
  void sqlReadsTheSameRowsAsBefore() throws Exception {
    List<String> before = archiveSome();
    ForeignHistory foreign = foreign();
    assertThat(foreign.attach(acme))
        .isEqualTo(new ForeignHistory.Attached("\"rota_1\".\"task_archive_1\"", 1, 1, 0));
    assertThat(fixture.texts(ROWS + TABLE + " order by id")).isEqualTo(before);
    assertThat(foreign.attach(acme).added()).isZero();
  }

  @Test
  void aBackslashOfTheDatabaseMayBeginAnEscape() throws Exception {
    List<String> before = archiveSome();
    fixture.execute(
        """
        do $$ begin
          execute format('alter database %I set standard_conforming_strings = off',
                         current_database());
        end $$""");
    assertThat(foreign(fixture.another()).attach(acme).added()).isEqualTo(1);
    assertThat(fixture.texts(ROWS + TABLE + " order by id")).isEqualTo(before);
  }

  @Test
  void aTableOfAnOlderVersionGetsTheNewestColumn() throws Exception {
    List<String> before = archiveSome();
    ForeignHistory foreign = foreign();
    foreign.attach(acme);
    String part = fixture.text("select inhrelid::regclass from pg_inherits");
    fixture.execute("alter table " + TABLE + " drop column headers");
    fixture.execute("alter foreign table " + part + " options (set filename '/older/copy.csv')");
    assertThat(foreign.attach(acme))
        .isEqualTo(new ForeignHistory.Attached("\"rota_1\".\"task_archive_1\"", 1, 1, 1));
    assertThat(fixture.texts(ROWS + TABLE + " order by id")).isEqualTo(before);
  }

  @Test
  void aQueryForSomeTimeOpensItsFilesAlone() throws Exception {
    archiveSome();
    String border = fixture.text("select now()");
    archiveSome();
    foreign().attach(acme);
    assertThat(fixture.texts("select id from " + TABLE)).hasSize(10);
    String plan =
        String.join(
            "\n",
            fixture.texts(
                "explain select count(*) from " + TABLE + " where created_at >= '" + border + "'"));
    assertThat(plan).contains("seq=2").doesNotContain("seq=1");
  }

  @Test
  void whatHasExpiredGoesWithTheNextAttach() throws Exception {
    archiveSome();
    archiveSome();
    ForeignHistory foreign = foreign();
    foreign.attach(acme);
    assertThat(copies()).hasSize(2);
    daemon.close();
    fixture.execute("update rota.archive set expired_at = now() where seq = 1");
    assertThat(foreign.attach(acme))
        .extracting(ForeignHistory.Attached::files, ForeignHistory.Attached::removed)
        .containsExactly(1, 1);
    assertThat(copies()).hasSize(1);
    assertThat(fixture.texts("select distinct segment from " + TABLE)).containsExactly("2");

    foreign.detach(acme);
    assertThat(copies()).isEmpty();
    assertThat(fixture.text("select to_regclass('" + TABLE + "')")).isEqualTo("null");
    foreign.detach(acme);
  }

  @Test
  void aFolderThatCannotBeWrittenIsNamed() throws Exception {
    archiveSome();
    Path file = Files.createFile(folder.resolve("a file"));
    ForeignHistory foreign = ForeignHistory.in(fixture.rota(), archive, file, file);
    assertThatExceptionOfType(ArchiveException.class)
        .isThrownBy(() -> foreign.attach(acme))
        .withMessageContaining("tenant 'acme'")
        .withMessageContaining(file.toString());
  }
}
