package dev.rota.docs;

import dev.rota.NewTask;
import dev.rota.Tenant;
import dev.rota.graph.DeadParent;
import dev.rota.graph.EnqueuedGraph;
import dev.rota.graph.GraphNode;
import dev.rota.graph.GraphProgress;
import dev.rota.graph.NodeState;
import dev.rota.graph.TaskGraph;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** The examples of docs/dependencies.md. */
final class DependenciesExample {

  private DependenciesExample() {}

  static EnqueuedGraph enqueue(Tenant acme, String json) {
    // begin graph
    TaskGraph.Builder graph = TaskGraph.builder();
    TaskGraph.Node fetch = graph.add("fetch", NewTask.of("film.fetch", json));
    TaskGraph.Node picture = graph.add(NewTask.of("film.picture", json)).dependsOn(fetch);
    TaskGraph.Node sound = graph.add(NewTask.of("film.sound", json)).dependsOn(fetch);
    graph.add(NewTask.of("film.publish", json)).dependsOn(picture, sound);
    EnqueuedGraph film = acme.graphs().enqueue(graph.build());
    // end graph
    return film;
  }

  static TaskGraph policies(String json) {
    // begin policies
    TaskGraph.Builder graph = TaskGraph.builder();
    TaskGraph.Node charge = graph.add(NewTask.of("order.charge", json));
    graph.add(NewTask.of("order.ship", json)).dependsOn(charge); // CANCEL: the default
    TaskGraph.Node thank =
        graph.add(NewTask.of("order.thank", json)).dependsOn(charge).onDeadParent(DeadParent.SKIP);
    graph.add(NewTask.of("order.file", json)).dependsOn(thank);
    graph
        .add(NewTask.of("order.unlock", json))
        .dependsOn(charge)
        .onDeadParent(DeadParent.RELEASE); // runs in any case, when all parents have ended
    // end policies
    return graph.build();
  }

  static EnqueuedGraph later(Tenant acme, EnqueuedGraph film, DataSource dataSource, String json)
      throws SQLException {
    // begin later
    TaskGraph.Builder subtitles = TaskGraph.builder();
    long published = film.taskIds().get(3);
    subtitles.add(NewTask.of("film.subtitles", json)).dependsOnTasks(published);
    EnqueuedGraph enqueued;
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false); // your own writes go here, in the same transaction
      enqueued = acme.graphs().enqueue(connection, subtitles.build());
      connection.commit();
    }
    // end later
    return enqueued;
  }

  static long progress(Tenant acme, EnqueuedGraph film) {
    // begin progress
    GraphProgress progress = acme.graphs().find(film.id()).orElseThrow();
    System.out.println(progress.ended() + " of " + progress.tasks() + " tasks have ended");
    if (progress.count(NodeState.DEAD) > 0) {
      acme.graphs().cancel(film.id(), "the film cannot be made");
    }
    List<GraphProgress> newest = acme.graphs().list(20);
    List<GraphNode> tasks = acme.graphs().nodes(film.id(), 0, 100);
    // end progress
    return (long) newest.size() + tasks.size();
  }
}
