package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.graph.EnqueuedGraph;
import dev.rota.graph.TaskGraph;
import dev.rota.testing.TestDatabase;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@RotaTest
@Tag("exhaustive")
class GraphCommandTest {

  @Given private TestDatabase database;
  @Given private Tenant acme;
  private EnqueuedGraph first;
  private EnqueuedGraph second;

  @BeforeEach
  void create() {
    assertThat(call("graph", "show", "acme", "--json").out()).isEqualTo("[]\n");
    TaskGraph.Builder graph = TaskGraph.builder();
    TaskGraph.Node parent = graph.add(NewTask.of("parent", "{}"));
    graph.add(NewTask.of("child", "{}")).dependsOn(parent);
    TaskGraph built = graph.build();
    first = acme.graphs().enqueue(built);
    second = acme.graphs().enqueue(built);
  }

  @Test
  void graphsAreShownAndCancelled() {
    assertThat(call("graph", "show", "acme").out())
        .contains("GRAPH", "BLOCKED", Long.toString(first.id()), Long.toString(second.id()));
    assertThat(call("graph", "cancel", "acme", Long.toString(first.id())).out()).isEqualTo("2\n");
    assertThat(call("graph", "show", "acme", Long.toString(first.id()), "--json").out())
        .contains(
            "\"tasks\":2,\"blocked\":0,\"active\":0,\"done\":0,\"dead\":0,\"cancelled\":2,"
                + "\"skipped\":0,\"finished\":true");
    assertThat(call("graph", "show", "acme", "--limit", "1", "--json").out())
        .startsWith("[{\"id\":" + second.id() + ",\"createdAt\":\"")
        .contains("\"blocked\":1,\"active\":1,")
        .endsWith("\"finished\":false}]\n");
    assertThat(call("status", "--tenant", "acme", "--json").out()).contains("\"pending\":1");
  }

  @Test
  void mistakesAreNamed() {
    Invocation unknown = call("graph", "show", "acme", "99");
    assertThat(unknown.code()).isEqualTo(1);
    assertThat(unknown.err()).contains("tenant 'acme' has no graph 99");
    Invocation cancel = call("graph", "cancel", "acme", "99");
    assertThat(cancel.code()).isEqualTo(1);
    assertThat(cancel.err()).contains("has no graph 99");
    assertThat(call("graph", "show", "acme", "--limit", "0").code()).isEqualTo(2);
    Invocation none = Invocation.of("graph");
    assertThat(none.code()).isEqualTo(2);
    assertThat(none.err()).contains("show", "cancel");
  }

  private Invocation call(String... arguments) {
    String[] all = Arrays.copyOf(arguments, arguments.length + 2);
    all[arguments.length] = "--jdbc-url";
    all[arguments.length + 1] = database.jdbcUrl();
    return Invocation.of(all);
  }
}
