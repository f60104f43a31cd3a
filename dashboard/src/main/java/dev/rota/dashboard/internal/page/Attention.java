package dev.rota.dashboard.internal.page;

import dev.rota.dashboard.internal.read.PlatformReads;
import dev.rota.dashboard.internal.view.Links;
import dev.rota.dashboard.internal.view.Show;
import dev.rota.dashboard.internal.view.View.Note;
import dev.rota.dashboard.internal.view.View.Notes;
import dev.rota.insight.KindActivity;
import dev.rota.insight.Overview;
import dev.rota.insight.StorageReport;
import dev.rota.insight.UnhandledKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Tells what needs the attention of people, with a link each. Thread-safe. */
final class Attention {

  private static final int MOST = 10;
  private static final double MANY_FAILURES = 0.05;
  private static final Duration LONG_TRANSACTION = Duration.ofMinutes(30);

  private final PlatformReads reads;

  Attention(PlatformReads reads) {
    this.reads = reads;
  }

  Notes notes(Links links, Overview overview) {
    List<Note> notes = new ArrayList<>();
    StorageReport storage = reads.storage();
    addProcesses(notes, links, overview);
    addStorage(notes, links, storage);
    reads.unhandledKinds().stream().limit(MOST).forEach(kind -> notes.add(unhandled(links, kind)));
    reads.kinds(1).stream()
        .filter(kind -> kind.ended().failures() > MANY_FAILURES * kind.ended().count())
        .limit(MOST)
        .forEach(kind -> notes.add(failing(links, kind)));
    return new Notes("Needs attention", notes, "Nothing does.");
  }

  private static void addProcesses(List<Note> notes, Links links, Overview overview) {
    if (!overview.alive().leads()) {
      notes.add(
          new Note(
              "No daemon leads: delayed tasks and retries wait, and no table rotates",
              links.to("/storage"),
              true));
    }
    if (overview.alive().workers() == 0 && overview.estimated().pending() > 0) {
      notes.add(new Note("Tasks wait, and no worker is alive", links.to("/workers"), true));
    }
  }

  private static void addStorage(List<Note> notes, Links links, StorageReport storage) {
    String page = links.to("/storage");
    if (storage.rotation().postponed() > 0) {
      notes.add(
          new Note(
              Show.count(storage.rotation().postponed())
                  + " tenants could not rotate: "
                  + String.join("; ", storage.rotation().reasons()),
              page,
              false));
    }
    storage
        .archive()
        .troubles()
        .forEach(each -> notes.add(new Note("Archive: " + each, page, true)));
    longTransaction(storage).ifPresent(text -> notes.add(new Note(text, page, false)));
  }

  private static Optional<String> longTransaction(StorageReport storage) {
    return storage
        .oldestTransaction()
        .flatMap(StorageReport.OpenTransaction::age)
        .filter(age -> age.compareTo(LONG_TRANSACTION) > 0)
        .map(age -> "A transaction is open for " + Show.time(age) + " and keeps old rows alive");
  }

  private static Note unhandled(Links links, UnhandledKind kind) {
    String silent =
        kind.silent() == 0 ? "" : "; processes that do not tell: " + Show.count(kind.silent());
    return new Note(
        "Tasks of kind "
            + kind.kind()
            + " stay pending: no living worker has told of a handler"
            + silent,
        links.to("/workers"),
        true);
  }

  private static Note failing(Links links, KindActivity kind) {
    return new Note(
        Show.percent(kind.ended().failures(), kind.ended().count())
            + " of the attempts of "
            + kind.kind()
            + " fail",
        links.to("/failures", "kind", kind.kind()),
        false);
  }
}
