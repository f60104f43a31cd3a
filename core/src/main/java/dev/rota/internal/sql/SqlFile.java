package dev.rota.internal.sql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A parsed file of named statements.
 *
 * <p>A section begins with a line <code>-- name: x</code>, continues with comments, and ends with
 * the text of the statement. Sections of two other kinds hold parts of the statements of their
 * file:
 *
 * <ul>
 *   <li><code>-- fragment: x</code>: the text that fills each place <code>{x}</code>
 *   <li><code>-- option: x</code>: the text that fills each place <code>{x}</code> of a statement
 *       that is requested with the option; without it the place is empty
 * </ul>
 *
 * All other places are filled when a statement is rendered. A line <code>-- call: x</code> among
 * the comments gives the name under which a statement goes through the seam, if that differs.
 */
final class SqlFile {

  private static final Pattern HEADER = Pattern.compile("-- (name|fragment|option): ([a-z_]+)");
  private static final Pattern PLACE = Pattern.compile("\\{([a-z_]+)}");
  private static final String CALL = "-- call: ";

  private final String file;
  private final Map<String, Section> sections = new HashMap<>();
  private final List<Statement> statements = new ArrayList<>();

  private SqlFile(String file) {
    this.file = file;
  }

  /** One section: a statement or a part of statements. */
  private record Section(String kind, String name, @Nullable String call, String text) {

    boolean isPart() {
      return !kind.equals("name");
    }
  }

  /** A statement of a file, with places for its options. */
  final class Statement {

    private final Section section;

    Statement(Section section) {
      this.section = section;
    }

    String file() {
      return file;
    }

    String name() {
      return section.name;
    }

    /** The name under which it goes through the seam. */
    String call() {
      return section.call == null ? section.name.replace('_', ' ') : section.call;
    }

    /** The text with these options and no others. */
    String text(List<String> options) {
      Set<String> unused = new HashSet<>(options);
      String text = fill(section.text, options, unused);
      if (!unused.isEmpty()) {
        throw new IllegalArgumentException(
            file + ": statement '" + section.name + "' has no option " + unused);
      }
      return text;
    }
  }

  /** Parses the lines of a file. */
  static SqlFile parse(String file, List<String> lines) {
    SqlFile parsed = new SqlFile(file);
    List<String> section = new ArrayList<>();
    for (String line : lines) {
      if (HEADER.matcher(line).matches()) {
        parsed.add(section);
        section = new ArrayList<>();
      }
      section.add(line);
    }
    parsed.add(section);
    return parsed;
  }

  /** Its statements, in their order. */
  List<Statement> statements() {
    return statements;
  }

  private void add(List<String> lines) {
    Matcher header = HEADER.matcher(lines.isEmpty() ? "" : lines.get(0));
    if (!header.matches()) {
      return;
    }
    Section section = section(header.group(1), header.group(2), lines.subList(1, lines.size()));
    if (sections.putIfAbsent(section.name, section) != null) {
      throw new IllegalStateException(file + ": '" + section.name + "' occurs twice");
    }
    if (!section.isPart()) {
      statements.add(new Statement(section));
    }
  }

  private Section section(String kind, String name, List<String> lines) {
    String call = null;
    Iterator<String> rest = lines.iterator();
    List<String> text = new ArrayList<>();
    while (rest.hasNext()) {
      String line = rest.next();
      if (line.startsWith(CALL)) {
        call = line.substring(CALL.length());
      } else if (!line.startsWith("--")) {
        text.add(line);
      }
    }
    String joined = String.join("\n", text).replaceAll("\n+$", "");
    if (joined.isEmpty()) {
      throw new IllegalStateException(file + ": '" + name + "' has no text");
    }
    return new Section(kind, name, call, joined);
  }

  /** Fills places that are named like a part of this file, and removes the options that it used. */
  private String fill(String text, List<String> options, Set<String> unused) {
    return PLACE
        .matcher(text)
        .replaceAll(
            place -> {
              Section part = sections.get(place.group(1));
              if (part == null || !part.isPart()) {
                return Matcher.quoteReplacement(place.group());
              }
              unused.remove(part.name);
              boolean absent = part.kind.equals("option") && !options.contains(part.name);
              return absent ? "" : Matcher.quoteReplacement(fill(part.text, options, unused));
            });
  }
}
