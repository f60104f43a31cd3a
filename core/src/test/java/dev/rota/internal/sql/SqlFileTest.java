package dev.rota.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import org.junit.jupiter.api.Test;

class SqlFileTest {

  private static final String CLAIM =
      """
      -- All about slots.

      -- fragment: picked
      -- Some rows.
      select ctid from {slot}{and_kinds}
       limit ?

      -- name: claim_tasks
      -- Takes rows.
      --
      -- Rejected: taking none.
      delete from {slot} where ctid = any (array({picked}))

      -- option: and_kinds
      -- For some kinds.
       where kind = any ({kinds})

      -- name: count_tasks
      -- call: count
      -- Counts rows.
      select count(*) from {slot}
      """;

  @Test
  void textsAreWithoutCommentsAndWithFragments() {
    SqlFile.Statement claim = statements(CLAIM).get(0);
    assertThat(claim.name()).isEqualTo("claim_tasks");
    assertThat(claim.text(List.of()))
        .isEqualTo(
            "delete from {slot} where ctid = any (array(select ctid from {slot}\n limit ?))");
  }

  @Test
  void anOptionIsThereIfItIsAskedFor() {
    assertThat(statements(CLAIM).get(0).text(List.of("and_kinds")))
        .contains("from {slot} where kind = any ({kinds})\n limit");
  }

  @Test
  void aStatementIsCalledByItsNameUnlessItSaysOtherwise() {
    assertThat(statements(CLAIM))
        .extracting(SqlFile.Statement::call)
        .containsExactly("claim tasks", "count");
  }

  @Test
  void anUnknownOptionIsAnError() {
    SqlFile.Statement count = statements(CLAIM).get(1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> count.text(List.of("and_kinds")))
        .withMessage("test.sql: statement 'count_tasks' has no option [and_kinds]");
  }

  @Test
  void aRepeatedNameIsAnError() {
    assertThatIllegalStateException()
        .isThrownBy(() -> statements("-- name: a\nselect 1\n\n-- fragment: a\nselect 2"))
        .withMessage("test.sql: 'a' occurs twice");
  }

  @Test
  void aNameWithoutTextIsAnError() {
    assertThatIllegalStateException()
        .isThrownBy(() -> statements("-- name: a\n-- Does nothing.\n\n-- name: b\nselect 2"))
        .withMessage("test.sql: 'a' has no text");
  }

  @Test
  void anUnknownNameIsAnErrorThatNamesTheFiles() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Sql.named("no_such_statement"))
        .withMessageContaining("'no_such_statement'")
        .withMessageContaining("hot-path");
  }

  private static List<SqlFile.Statement> statements(String text) {
    return SqlFile.parse("test.sql", text.lines().toList()).statements();
  }
}
