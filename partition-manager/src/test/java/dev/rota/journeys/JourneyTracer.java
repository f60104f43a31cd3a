package dev.rota.journeys;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jdi.AbsentInformationException;
import com.sun.jdi.Bootstrap;
import com.sun.jdi.Method;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import dev.rota.testing.Documents;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Runs {@link JourneyProcess} under the debugger of the JDK, and notes the source files of main
 * code whose methods are entered between two marks. Only files that every round passes count, so
 * that work by the clock does not. Used by one thread.
 */
final class JourneyTracer {

  /** The threads of each journey; others do work that no task waits for. */
  private static final Map<String, Pattern> THREADS =
      Map.of(
          "enqueue", Pattern.compile("main|rota-group-commit-.*"),
          "work", Pattern.compile("rota-(fetcher|handler|settler).*"),
          "rotation", Pattern.compile("main"));

  private static final String END = "end";

  /**
   * So long without another file means that a journey is over: its last steps follow its commit.
   */
  private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final long PAUSE_MILLIS = 50;

  private static final List<Path> MAIN =
      List.of("core", "partition-manager").stream()
          .map(module -> Documents.home().resolve(module).resolve("src/main/java"))
          .toList();

  private final VirtualMachine machine;
  private final Set<String> noted = new TreeSet<>();
  private MethodEntryRequest entries;
  private final Map<String, Set<String>> journeys = new TreeMap<>();
  private String journey = "";
  private Set<String> files = new TreeSet<>();
  private boolean ended;

  private JourneyTracer(VirtualMachine machine) {
    this.machine = machine;
    this.entries = requestEntries();
    ClassPrepareRequest marks = machine.eventRequestManager().createClassPrepareRequest();
    marks.addClassFilter(JourneyProcess.Marks.class.getName());
    marks.enable();
  }

  /** Requests the entries into all classes but those that were noted. */
  private MethodEntryRequest requestEntries() {
    MethodEntryRequest request = machine.eventRequestManager().createMethodEntryRequest();
    request.addClassFilter("dev.rota.*");
    noted.forEach(request::addClassExclusionFilter);
    request.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
    return request;
  }

  /** Runs a main class, and returns the files of each journey. */
  static Map<String, Set<String>> trace(Class<?> main, String argument) throws Exception {
    LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
    Map<String, Connector.Argument> arguments = connector.defaultArguments();
    arguments
        .get("options")
        .setValue("-Xmx256m -XX:+UseSerialGC -cp \"" + System.getProperty("java.class.path") + '"');
    arguments.get("main").setValue(main.getName() + ' ' + argument);
    VirtualMachine machine = connector.launch(arguments);
    Process process = machine.process();
    try {
      show(process.getInputStream());
      show(process.getErrorStream());
      JourneyTracer tracer = new JourneyTracer(machine);
      tracer.listen();
      assertThat(process.waitFor()).as("exit code of " + main).isZero();
      return tracer.journeys;
    } finally {
      process.destroyForcibly();
    }
  }

  private static void show(InputStream output) {
    Thread thread =
        new Thread(
            () -> {
              try {
                long unused = output.transferTo(System.err);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            },
            "output-of-journeys");
    thread.setDaemon(true);
    thread.start();
  }

  private void listen() throws InterruptedException {
    boolean connected = true;
    while (connected) {
      EventSet events = machine.eventQueue().remove();
      for (Event event : events) {
        accept(event);
        connected &= !(event instanceof VMDisconnectEvent);
      }
      if (ended) {
        noteTheRest();
      }
      events.resume();
    }
  }

  private void accept(Event event) {
    if (event instanceof ClassPrepareEvent prepared) {
      prepared.referenceType().methods().forEach(this::stopAt);
    } else if (event instanceof BreakpointEvent mark) {
      reached(mark.location().method().name());
    } else if (event instanceof MethodEntryEvent entry) {
      note(entry);
    }
  }

  private void stopAt(Method mark) {
    BreakpointRequest request =
        machine.eventRequestManager().createBreakpointRequest(mark.location());
    request.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
    request.enable();
  }

  private void reached(String mark) {
    if (mark.equals(END)) {
      ended = true;
    } else {
      journey = mark;
      files = new TreeSet<>();
      noted.clear();
      restart();
    }
  }

  /** Notes what other threads do after the end, while the thread that set the mark waits. */
  private void noteTheRest() throws InterruptedException {
    long since = System.nanoTime();
    while (System.nanoTime() - since < QUIET_NANOS) {
      int before = files.size();
      EventSet events = machine.eventQueue().remove(PAUSE_MILLIS);
      if (events != null) {
        events.forEach(this::accept);
        events.resume();
      }
      since = files.size() == before ? since : System.nanoTime();
    }
    entries.disable();
    ended = false;
    journeys.merge(journey, files, JourneyTracer::inBoth);
  }

  private static Set<String> inBoth(Set<String> some, Set<String> others) {
    Set<String> both = new TreeSet<>(some);
    both.retainAll(others);
    return both;
  }

  private void note(MethodEntryEvent entry) {
    String file = sourceOf(entry.method().declaringType());
    boolean isMain = MAIN.stream().anyMatch(folder -> Files.exists(folder.resolve(file)));
    boolean counts = THREADS.get(journey).matcher(entry.thread().name()).matches();
    if (isMain && counts) {
      files.add(file);
    }
    if ((!isMain || counts) && noted.add(entry.method().declaringType().name())) {
      restart();
    }
  }

  /**
   * Requests no more entries into the noted classes. Threads that poll would otherwise cause more
   * events than a busy machine serves. The old request ends after the new one has begun.
   */
  private void restart() {
    MethodEntryRequest next = requestEntries();
    next.enable();
    machine.eventRequestManager().deleteEventRequest(entries);
    entries = next;
  }

  /** The path of a class's source file; that of a generated class has no name. */
  private static String sourceOf(ReferenceType type) {
    String folder = type.name().replaceFirst("[^.]*$", "").replace('.', '/');
    try {
      return folder + type.sourceName();
    } catch (AbsentInformationException e) {
      return folder + "generated";
    }
  }
}
