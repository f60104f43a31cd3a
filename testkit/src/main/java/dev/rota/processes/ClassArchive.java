package dev.rota.processes;

import dev.rota.testing.ServerTemplate;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The archive from which processes of a main class map their classes instead of reading them. The
 * first process lists what it loads, and the third one finds the archive; a later one, if the first
 * has not begun its list by then. Thread-safe.
 */
final class ClassArchive {

  /** An archive takes time to make, and most main classes of tests start once or twice. */
  private static final int MADE_FOR = 3;

  private static final Map<Class<?>, ClassArchive> ARCHIVES = new ConcurrentHashMap<>();

  private final Path list;
  private final Path archive;
  private int started;
  private boolean made;

  private ClassArchive(Class<?> main) {
    this.list = Folder.PATH.resolve(main.getName() + ".classes");
    this.archive = Folder.PATH.resolve(main.getName() + ".archive");
  }

  /** The folder of the archives of this JVM. */
  private static final class Folder {
    private static final Path PATH = create();

    private static Path create() {
      try {
        Path folder = Files.createTempDirectory("rota-classes-");
        ServerTemplate.deleteAtExit(folder);
        return folder;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** The options of the next process of a main class. */
  static List<String> optionsFor(Class<?> main) throws IOException {
    return ARCHIVES.computeIfAbsent(main, ClassArchive::new).options();
  }

  /** The class path of this JVM, with directories last: the classes in them are not archived. */
  static String classPath() {
    return joined(Stream.concat(jars(), entries().filter(Files::isDirectory)));
  }

  private static Stream<Path> jars() {
    return entries().filter(Files::isRegularFile);
  }

  private static Stream<Path> entries() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(Path::of);
  }

  private static String joined(Stream<Path> entries) {
    return entries.map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }

  private synchronized List<String> options() throws IOException {
    started++;
    if (started == 1) {
      return List.of("-XX:DumpLoadedClassList=" + list);
    }
    if (started >= MADE_FOR && !made && Files.exists(list)) {
      make();
      made = true;
    }
    return made ? List.of("-XX:SharedArchiveFile=" + archive) : List.of();
  }

  private void make() throws IOException {
    // A process that was killed or still runs has written a part of its last line.
    String listed = Files.readString(list);
    Files.writeString(list, listed.substring(0, listed.lastIndexOf('\n') + 1));
    Path log = list.resolveSibling(list.getFileName() + ".log");
    Process making =
        new ProcessBuilder(
                JavaProcess.java(),
                "-Xshare:dump",
                "-XX:SharedClassListFile=" + list,
                "-XX:SharedArchiveFile=" + archive,
                "-cp",
                joined(jars()))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    if (making.onExit().join().exitValue() != 0) {
      throw new IOException("no archive of classes was made: " + Files.readString(log));
    }
  }
}
