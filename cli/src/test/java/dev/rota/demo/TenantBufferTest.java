package dev.rota.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TenantBufferTest {

  @Test
  void givesTasksInOrderAndCutsSpans() {
    TenantBuffer buffer = new TenantBuffer();
    buffer.add(new Span(1, 1, 0, 3, false));
    buffer.add(new Span(1, 2, 0, 4, true));
    assertThat(payloads(buffer.take(5)))
        .containsExactly(
            "{\"job\":1,\"task\":1,\"instance\":0}",
            "{\"job\":1,\"task\":1,\"instance\":1}",
            "{\"job\":1,\"task\":1,\"instance\":2}",
            "{\"job\":1,\"task\":2,\"instance\":0}",
            "{\"job\":1,\"task\":2,\"instance\":1}");
    assertThat(buffer.tasks()).isEqualTo(2);
    assertThat(payloads(buffer.take(5)))
        .containsExactly(
            "{\"job\":1,\"task\":2,\"instance\":2}", "{\"job\":1,\"task\":2,\"instance\":3}");
    assertThat(buffer.tasks()).isZero();
    assertThat(buffer.take(5)).isEmpty();
  }

  private static List<String> payloads(List<Span> spans) {
    List<NewTask> tasks = new ArrayList<>();
    spans.forEach(span -> span.addTo(tasks));
    return tasks.stream().map(NewTask::payload).toList();
  }
}
