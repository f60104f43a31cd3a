package dev.rota.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Reads the documents of the project, so that tests can check and run their examples. */
public final class Documents {
  private static final String FENCE = "```";

  private Documents() {}

  /** The folder of the project; tests run in the folder of their module, somewhere below it. */
  public static Path home() {
    Path module = Path.of("").toAbsolutePath();
    return Stream.iterate(module, Objects::nonNull, Path::getParent)
        .filter(folder -> Files.isRegularFile(folder.resolve("CONTRIBUTING.md")))
        .findFirst()
        .orElse(module);
  }

  /** The text of a file, named by its path in the project. */
  public static String text(String file) {
    try {
      return Files.readString(home().resolve(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the code blocks of a document whose fence carries exactly these words, such as {@code
   * java} or {@code sql owner}, in the order of the document.
   */
  public static List<String> blocks(String document, String words) {
    List<String> blocks = new ArrayList<>();
    StringBuilder block = new StringBuilder();
    boolean inside = false;
    boolean wanted = false;
    for (String line : text(document).lines().toList()) {
      if (line.startsWith(FENCE)) {
        if (inside && wanted) {
          blocks.add(block.toString());
        }
        inside = !inside;
        wanted = inside && line.equals(FENCE + words);
        block.setLength(0);
      } else if (wanted) {
        block.append(line).append('\n');
      }
    }
    return blocks;
  }

  /**
   * Returns the text between the comments {@code begin NAME} and {@code end NAME} of a Java file.
   */
  public static String region(String javaFile, String name) {
    String source = text(javaFile);
    String begin = "// begin " + name + "\n";
    int from = source.indexOf(begin);
    int to = source.indexOf("// end " + name + "\n");
    if (from < 0 || to < from) {
      throw new IllegalArgumentException(javaFile + " has no region " + name);
    }
    // Without its last line breaks, which stripIndent would take for a line without indent.
    String lines = source.substring(from + begin.length(), to).stripTrailing();
    return lines.stripIndent() + "\n";
  }
}
