package dev.rota.statements;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.processes.MigratedDatabase;
import dev.rota.testing.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Every statement has a shape that Citus accepts as well, where it costs nothing on a single
 * server. Each rule stands for an error of Citus, which this test cannot show.
 */
class PortableShapesTest {

  /** "A column definition list is required for functions returning record". */
  private static final Pattern EMPTY_SELECT = Pattern.compile("\\bselect\\s+from\\b");

  /** "Column has pseudo-type void". */
  private static final Pattern VOID_COLUMN =
      Pattern.compile("\\(\\s*select pg_stat_force_next_flush\\(\\)\\s*\\)");

  /** "Non-IMMUTABLE functions are not allowed in CASE or COALESCE statements". */
  private static final Pattern CLOCK_IN_A_CASE =
      Pattern.compile("\\bcase\\b(?:(?!\\bend\\b).)*\\bnow\\(\\)", Pattern.DOTALL);

  private static final Pattern CLOCK_IN_COALESCE =
      Pattern.compile("coalesce\\((?:[^()]|\\([^()]*\\))*now\\(\\)");

  /** What an UPDATE sets, and what a statement returns. */
  private static final Pattern CHANGES =
      Pattern.compile(
          "\\bset\\s(.*?)(?=\\bfrom\\b|\\bwhere\\b|\\breturning\\b|$)"
              + "|\\breturning\\s(.*?)(?=\\),|$)",
          Pattern.DOTALL);

  /** "Missing data for column": rows locked in a join with a function get lost on their way. */
  private static final Pattern LOCK_OF_A_JOIN =
      Pattern.compile(
          "\\bunnest\\((?:(?!\\bmaterialized\\b).)*\\bfor update of\\b", Pattern.DOTALL);

  private static final Pattern INSERT_IN_WITH = Pattern.compile("\\bas \\(\\s*insert into\\b");

  private static final Pattern OF_A_TENANT = Pattern.compile("\"rota_7\"\\.");

  private static final List<String> STATEMENTS =
      Stream.of(new Places(7, 1), new Places(7, 3))
          .flatMap(places -> Constants.all().stream().map(places::render))
          .distinct()
          .toList();

  @Test
  void selectListsHaveAColumnWithAType() {
    assertNone(statement -> isIn(statement, EMPTY_SELECT) || isIn(statement, VOID_COLUMN));
  }

  @Test
  void changesOfTablesOfATenantAskTheClockPlainly() {
    assertNone(statement -> isIn(statement, OF_A_TENANT) && asksTheClockInACase(statement));
  }

  @Test
  void rowsAreLockedBeforeTheyAreJoinedWhereAnInsertFollows() {
    assertNone(statement -> isIn(statement, INSERT_IN_WITH) && isIn(statement, LOCK_OF_A_JOIN));
  }

  /** Citus loses the column list of a view. */
  @Test
  void selectsNameTheColumnsOfViews() throws SQLException {
    try (TestDatabase database = MigratedDatabase.create()) {
      assertThat(functionsWith(database, "create or replace view")).hasSize(2);
      assertThat(functionsWith(database, "view +[^ ]+ +[(]")).isEmpty();
    }
  }

  private static List<@Nullable String> functionsWith(TestDatabase database, String pattern)
      throws SQLException {
    return database.texts(
        "select proname from pg_proc where pronamespace = 'rota'::regnamespace"
            + (" and prosrc ~* '" + pattern + "'"));
  }

  @Test
  void theRulesFindWhatTheyAreFor() {
    assertThat(isIn("where exists (select from x)", EMPTY_SELECT)).isTrue();
    assertThat(isIn("where (select pg_stat_force_next_flush()) is not null", VOID_COLUMN)).isTrue();
    assertThat(asksTheClockInACase("update x set a = 1, b = case when c then now() end where d"))
        .isTrue();
    assertThat(asksTheClockInACase("delete from x returning a, coalesce(b, now() + c) as d"))
        .isTrue();
    assertThat(isIn("with a as (insert into x values (1))", INSERT_IN_WITH)).isTrue();
    assertThat(isIn("from unnest(?) as u (id) join x on true for update of x)", LOCK_OF_A_JOIN))
        .isTrue();
  }

  private static void assertNone(Predicate<String> refused) {
    assertThat(STATEMENTS.stream().filter(refused)).isEmpty();
  }

  private static boolean isIn(String statement, Pattern pattern) {
    return pattern.matcher(statement).find();
  }

  private static boolean asksTheClockInACase(String statement) {
    return CHANGES
        .matcher(statement)
        .results()
        .map(MatchResult::group)
        .anyMatch(change -> isIn(change, CLOCK_IN_A_CASE) || isIn(change, CLOCK_IN_COALESCE));
  }
}
