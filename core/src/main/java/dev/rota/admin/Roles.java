package dev.rota.admin;

import dev.rota.internal.text.SafeText;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The names of the five roles that {@link Admin#migrate(Roles)} creates, one for each part of the
 * work. So no process has more rights than it needs. They are group roles without login: grant them
 * to the login roles of your processes. {@code docs/security.md} lists the rights of each.
 *
 * @param owner owns the registry: migrates
 * @param daemon owns the tables of tenants and of the ledger: registers tenants, and rotates
 * @param application enqueues, claims, settles
 * @param reader reads
 * @param operator reads, and changes rules: limits, pauses and plans
 */
public record Roles(
    String owner, String daemon, String application, String reader, String operator) {

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,62}");

  /**
   * Checks the five names.
   *
   * @param owner see the record
   * @param daemon see the record
   * @param application see the record
   * @param reader see the record
   * @param operator see the record
   * @throws IllegalArgumentException if a name is not 1 to 63 characters out of {@code a-z 0-9 _},
   *     starting with a letter. Also if one starts with {@code pg_}, or if two are the same
   */
  public Roles {
    List<String> names = List.of(owner, daemon, application, reader, operator);
    for (String name : names) {
      if (!NAME.matcher(name).matches() || name.startsWith("pg_")) {
        throw new IllegalArgumentException(
            "role is '"
                + SafeText.of(name)
                + "'; it takes 1 to 63 characters out of a-z 0-9 _, starting with a letter and not"
                + " with pg_");
      }
    }
    if (names.stream().distinct().count() < names.size()) {
      throw new IllegalArgumentException(
          "the roles are " + String.join(", ", names) + "; give five different names");
    }
  }

  /**
   * Derives the names by appending {@code _owner}, {@code _daemon}, {@code _application}, {@code
   * _reader} and {@code _operator} to a prefix. Roles belong to the whole server: databases that
   * share a prefix share the roles.
   *
   * @param prefix such as {@code rota}: 1 to 51 characters out of {@code a-z 0-9 _}, starting with
   *     a letter
   * @return the names
   * @throws IllegalArgumentException if the prefix is malformed
   */
  public static Roles withPrefix(String prefix) {
    return new Roles(
        prefix + "_owner",
        prefix + "_daemon",
        prefix + "_application",
        prefix + "_reader",
        prefix + "_operator");
  }
}
