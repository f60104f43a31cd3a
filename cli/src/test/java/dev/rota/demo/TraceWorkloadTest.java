package dev.rota.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceWorkloadTest {

  private static final Path REAL_TRACE =
      Path.of("..", "..", "shared", "traces", "alibaba-2017-batch-task.csv");
  private static final String HEADER =
      "task_create_time, task_end_time, job_id, task_id,number_of_instances, status, cpus,memory";
  private static final String GOOD = "6459,6524,3,4,15740,Terminated,50,0.007956928";

  @TempDir Path directory;

  @Test
  void readsRowsInOrder() throws Exception {
    List<String> rows =
        rows(trace(HEADER, GOOD, "-1078,,4,7,393,Failed,,", "", "1,2,4,8,\"2\",Waiting,\"a,b\","));
    assertThat(rows).containsExactly("3/4 x15740", "4/7 x393 fails", "4/8 x2");
  }

  @Test
  void rowsWithoutInstancesAreFine() throws Exception {
    assertThat(rows(trace(HEADER, "1,2,3,4,0,Terminated,,", GOOD))).containsExactly("3/4 x15740");
  }

  @Test
  void limitCutsARow() throws Exception {
    DemoWorkload limited =
        DemoWorkload.trace(trace(HEADER, GOOD, GOOD), TraceWorkloadTest::refuse).limit(15_741);
    assertThat(rows(limited)).containsExactly("3/4 x15740", "3/4 x1");
    assertThat(limited.count()).isEqualTo(15_741);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1,2,3,4,x,Terminated,,",
        "1,2,3,4,-5,Terminated,,",
        "1,2,3,4,,Terminated,,",
        "1,2,3,4,99999999999,Terminated,,",
        "1,2,,4,5,Terminated,,",
        "1,2,-3,4,5,Terminated,,",
        "1,2,three,4,5,Terminated,,",
        "1,2,3,4.5,5,Terminated,,",
        "1,2,3,4,5,Terminated",
        "1,2,3,4,5,Terminated,,,,",
        "\"1,2,3,4,5,Terminated,,",
        "garbage"
      })
  void malformedLineIsNamedOrSkippedAlone(String line) throws Exception {
    Path trace = trace(HEADER, GOOD, line, GOOD);
    assertThatThrownBy(() -> rows(trace))
        .isInstanceOfSatisfying(
            MalformedTraceException.class, e -> assertThat(e.line()).isEqualTo(3))
        .hasMessageStartingWith("line 3 of the trace is malformed: ");
    List<Long> skipped = new ArrayList<>();
    DemoWorkload lenient = DemoWorkload.trace(trace, malformed -> skipped.add(malformed.line()));
    assertThat(rows(lenient)).containsExactly("3/4 x15740", "3/4 x15740");
    assertThat(skipped).containsExactly(3L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", GOOD, "job_id,task_id,status"})
  void headerMustNameTheColumns(String header) throws Exception {
    Path trace = trace(header, GOOD);
    assertThatThrownBy(() -> rows(trace))
        .isInstanceOf(MalformedTraceException.class)
        .hasMessageStartingWith("line 1 of the trace is malformed: the header has no column");
  }

  @Test
  void realTraceAddsUp() throws Exception {
    Assumptions.assumeTrue(Files.exists(REAL_TRACE), "the real trace is not on this machine");
    long[] tasks = new long[2];
    DemoWorkload.trace(REAL_TRACE, TraceWorkloadTest::refuse)
        .read(
            (job, task, instances, fails) -> {
              tasks[fails ? 1 : 0] += instances;
              return true;
            });
    assertThat(tasks).containsExactly(11_513_853, 395_468);
  }

  private Path trace(String... lines) throws IOException {
    Path file = directory.resolve("trace.csv");
    return Files.write(file, List.of(lines), StandardCharsets.UTF_8);
  }

  private static List<String> rows(Path trace) throws InterruptedException {
    return rows(DemoWorkload.trace(trace, TraceWorkloadTest::refuse));
  }

  private static List<String> rows(DemoWorkload workload) throws InterruptedException {
    List<String> rows = new ArrayList<>();
    workload.read(
        (job, task, instances, fails) ->
            rows.add(job + "/" + task + " x" + instances + (fails ? " fails" : "")));
    return rows;
  }

  private static void refuse(MalformedTraceException malformed) {
    throw malformed;
  }
}
