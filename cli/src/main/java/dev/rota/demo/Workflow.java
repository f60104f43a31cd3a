package dev.rota.demo;

import dev.rota.NewTask;
import dev.rota.graph.TaskGraph;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A recorded workflow: steps that depend on each other.
 *
 * @param steps the steps, in the order of the file
 */
public record Workflow(List<Step> steps) {

  /**
   * Keeps a copy of the list.
   *
   * @param steps the steps
   */
  public Workflow {
    steps = List.copyOf(steps);
  }

  /**
   * One step.
   *
   * @param name its name in the file
   * @param parents the indices of the steps that have to end before
   */
  public record Step(String name, List<Integer> parents) {

    /**
     * Keeps a copy of the list.
     *
     * @param name its name
     * @param parents the indices of the steps that have to end before
     */
    public Step {
      parents = List.copyOf(parents);
    }
  }

  /**
   * Reads a file in the JSON format of the WfCommons project.
   *
   * @param file the file
   * @return the workflow
   * @throws MalformedWorkflowException if the file is not of that format, or names unknown steps
   * @throws java.io.UncheckedIOException if the file cannot be read
   */
  public static Workflow read(Path file) {
    return new WorkflowReader(file).read();
  }

  /**
   * The number of dependencies.
   *
   * @return the sum of the parents of all steps
   */
  public int edges() {
    return steps.stream().mapToInt(step -> step.parents().size()).sum();
  }

  /**
   * Converts the workflow into a graph with a task for each step.
   *
   * @param kind the kind of all tasks
   * @param copy the number of the copy; the payload of a task is "copy:index of the step"
   * @return the graph
   * @throws dev.rota.graph.CyclicGraphException if steps depend on each other in a cycle
   */
  public TaskGraph graph(String kind, int copy) {
    TaskGraph.Builder graph = TaskGraph.builder();
    List<TaskGraph.Node> nodes = new ArrayList<>();
    for (Step step : steps) {
      nodes.add(graph.add(step.name(), NewTask.of(kind, copy + ":" + nodes.size())));
    }
    for (int i = 0; i < nodes.size(); i++) {
      nodes.get(i).dependsOn(steps.get(i).parents().stream().map(nodes::get).toList());
    }
    return graph.build();
  }
}
