package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageResult;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the values of pipelines and results of stages. */
class PipelineValueTest {

  private final Pipeline docs =
      Pipeline.named("doc").stage("fetch").stage("parse").stage("index").build();

  @Test
  void stagesAreKindsInOrder() {
    assertThat(docs.name()).isEqualTo("doc");
    assertThat(docs.stages()).containsExactly("fetch", "parse", "index");
    assertThat(docs.kind("parse")).isEqualTo("doc/parse");
    assertThat(docs.stageOf("doc/parse")).contains("parse");
    assertThat(docs.stageOf("doc/other")).isEmpty();
    assertThat(docs.stageOf("docs/parse")).isEmpty();
    assertThat(docs.next("fetch")).contains("parse");
    assertThat(docs.next("index")).isEmpty();
    assertThat(docs.task("{}").kind()).isEqualTo("doc/fetch");
    assertThat(docs.taskAt("index", "x").payload()).isEqualTo("x");
    assertThat(docs).hasToString("Pipeline[doc: fetch, parse, index]");
  }

  @Test
  void aStageThatIsNotThereIsNamedWithThoseThatAre() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> docs.taskAt("ocr", "{}"))
        .withMessage("pipeline 'doc' has no stage 'ocr'; its stages are [fetch, parse, index]");
    assertThatIllegalArgumentException().isThrownBy(() -> docs.next("ocr"));
  }

  @Test
  void namesThatMakeNoKindAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Pipeline.named("a/b"))
        .withMessageContaining("pipeline name 'a/b' is malformed");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Pipeline.named("a").stage("two words"))
        .withMessageContaining("stage name 'two words' is malformed");
    assertThatIllegalArgumentException().isThrownBy(() -> Pipeline.named("a").stage(""));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Pipeline.named("a").stage("x").stage("x"))
        .withMessageContaining("pipeline 'a' has a stage 'x' already");
    assertThatIllegalStateException()
        .isThrownBy(() -> Pipeline.named("a").build())
        .withMessageContaining("pipeline 'a' has no stage");
  }

  @Test
  void aKindHasItsLimit() {
    String name = "n".repeat(100);
    Pipeline longest = Pipeline.named(name).stage("s".repeat(27)).build();
    assertThat(longest.task("{}").kind()).hasSize(128);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Pipeline.named(name).stage("s".repeat(28)))
        .withMessageContaining("would have 129 characters; shorten the names to 127 in all");
  }

  @Test
  void onlyWhatGoesSomewhereCanWait() {
    assertThat(StageResult.next("p").after(Duration.ofSeconds(2)).delay()).hasSeconds(2);
    assertThat(StageResult.moveTo("parse").after(Duration.ZERO).stage()).contains("parse");
    assertThatIllegalStateException()
        .isThrownBy(() -> StageResult.finish().after(Duration.ofSeconds(1)))
        .withMessageContaining("goes to no stage");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> StageResult.next().after(Duration.ofSeconds(-1)))
        .withMessageContaining("delay is PT-1S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> StageResult.next().after(Duration.ofDays(36_501)));
    assertThat(List.of(StageResult.next(), StageResult.moveTo("x"), StageResult.finish()))
        .asString()
        .isEqualTo("[StageResult[next], StageResult[moveTo x], StageResult[finish]]");
  }
}
