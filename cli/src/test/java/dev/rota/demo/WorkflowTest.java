package dev.rota.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.graph.CyclicGraphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how files of workflows are parsed. */
class WorkflowTest {

  @TempDir Path directory;

  @Test
  void stepsAndTheirParentsAreRead() throws IOException {
    Workflow workflow = Workflow.read(WorkflowFiles.small(directory));
    assertThat(workflow.steps())
        .extracting(step -> step.name() + step.parents())
        .containsExactly("tail[1]", "join[2, 3]", "left[4]", "right[4]", "split[]");
    assertThat(workflow.edges()).isEqualTo(5);
    assertThat(workflow.graph("k", 7).inOrder())
        .extracting(node -> node.task().payload())
        .containsExactly("7:4", "7:2", "7:3", "7:1", "7:0");
  }

  @Test
  void newerFilesHaveASpecificationAndParentsById() throws IOException {
    Workflow workflow =
        Workflow.read(
            file(
                "{\"workflow\":{\"specification\":{\"tasks\":[{\"name\":\"a\",\"id\":\"1\","
                    + "\"parents\":[]},{\"name\":\"b\",\"id\":\"2\",\"parents\":[\"1\"]}]}}}"));
    assertThat(workflow.steps())
        .extracting(step -> step.name() + step.parents())
        .containsExactly("a[]", "b[0]");
  }

  @Test
  void theRealOnesHaveAsManyTasksAndLinksAsTheirAuthorsSay() {
    assertThat(WorkflowFiles.real())
        .extracting(Workflow::read)
        .extracting(workflow -> workflow.steps().size() + " " + workflow.edges())
        .containsExactlyInAnyOrder("103 231", "104 152", "41 48");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "not JSON | it is not JSON",
        "[] | it has no tasks",
        "{\"workflow\": {\"tasks\": []}} | it has no tasks",
        "{\"workflow\": {\"tasks\": {}}} | it has no tasks",
        "{\"workflow\": {\"tasks\": [{\"parents\": []}]}} | task 0 has no name",
        "{\"workflow\": {\"tasks\": [{\"name\": \"a\"}]}} | task 'a' has no array of parents",
        "{\"workflow\": {\"tasks\": [{\"name\": \"a\", \"parents\": []}, {\"name\": \"a\"}]}}"
            + " | two tasks are called 'a'",
        "{\"workflow\": {\"tasks\": [{\"name\": \"a\", \"id\": \"1\"}, {\"name\": \"b\", \"id\":"
            + " \"1\"}]}} | two tasks have the id '1'",
        "{\"workflow\": {\"tasks\": [{\"name\": \"a\", \"parents\": [\"b\"]}]}}"
            + " | task 'a' has a parent \"b\", which is not a task",
      })
  void whatIsMalformedIsNamed(String text, String problem) throws IOException {
    Path file = file(text);
    assertThatThrownBy(() -> Workflow.read(file))
        .isInstanceOf(MalformedWorkflowException.class)
        .hasMessageContaining("the workflow " + file + " is malformed: " + problem);
  }

  @Test
  void aCycleIsNamed() throws IOException {
    Workflow workflow =
        Workflow.read(
            file(
                "{\"workflow\":{\"tasks\":[{\"name\":\"a\",\"parents\":[\"b\"]},"
                    + "{\"name\":\"b\",\"parents\":[\"a\"]}]}}"));
    assertThatThrownBy(() -> workflow.graph("k", 0))
        .isInstanceOf(CyclicGraphException.class)
        .hasMessageContaining("'a' -> 'b' -> 'a'");
  }

  @Test
  void whatBeganBeforeAParentEndedIsCounted() throws IOException {
    StepRuns book = new StepRuns(Workflow.read(WorkflowFiles.small(directory)), 2);
    book.begin(1, 4);
    book.end(1, 4);
    book.begin(1, 2);
    book.end(1, 2);
    assertThat(book.violated()).isZero();
    book.begin(1, 1);
    assertThat(book.violated()).as("'right' has not ended").isEqualTo(1);
    book.begin(0, 2);
    assertThat(book.violated()).as("that was another copy").isEqualTo(2);
    book.end(1, 2);
    assertThat(book.ended()).isEqualTo(2);
    assertThat(book.repeated()).isEqualTo(1);
  }

  private Path file(String text) throws IOException {
    return Files.writeString(directory.resolve("workflow.json"), text);
  }
}
