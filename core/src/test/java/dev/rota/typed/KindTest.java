package dev.rota.typed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.NewTask;
import dev.rota.TaskKey;
import dev.rota.spi.PayloadCodec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests kinds, their types, and tasks whose payloads are not written yet. */
class KindTest {

  private static final Mail JOE = new Mail("joe", 2);

  @Test
  void aTaskIsWrittenWithAllItsOptions() {
    NewTask task =
        Mail.SEND
            .task(JOE)
            .after(Duration.ofMinutes(5))
            .withKey(TaskKey.untilSettled("k"))
            .priority(3)
            .withParent(7);
    assertThat(task.value()).contains(JOE);
    assertThat(task).hasToString("NewTask[kind=email.send, payload not written yet]");
    assertThatIllegalStateException()
        .isThrownBy(task::payload)
        .withMessageContaining("'email.send' is written when the task is enqueued");

    NewTask written = task.written(new Mail.Codec());
    assertThat(written.payload()).isEqualTo("joe*2");
    assertThat(written.value()).isEmpty();
    assertThat(written.kind()).isEqualTo("email.send");
    assertThat(written.delay()).contains(Duration.ofMinutes(5));
    assertThat(written.key().map(TaskKey::text)).contains("k");
    assertThat(written.priority()).isEqualTo(3);
    assertThat(written.parentId()).hasValue(7);
    assertThat(written.written(new Mail.Codec())).isSameAs(written);
  }

  @Test
  void aTextIsThePayload() {
    NewTask task = Kind.of("k", String.class).task("{}");
    assertThat(task.payload()).isEqualTo("{}");
    assertThat(task.value()).isEmpty();
  }

  @Test
  void formerNamesAddUp() {
    Kind<Mail> kind = Mail.SEND.formerly("mail.send").formerly("send", "mail");
    assertThat(kind.formerNames()).containsExactly("mail.send", "send", "mail");
    assertThat(kind.task(JOE).kind()).isEqualTo("email.send");
    assertThat(Mail.SEND.formerNames()).isEmpty();
  }

  @Test
  void aTokenNamesATypeWithArguments() {
    Kind<Map<String, List<Mail>>> kind = Kind.of("k", new TypeToken<Map<String, List<Mail>>>() {});
    assertThat(kind)
        .hasToString(
            "Kind[k: java.util.Map<java.lang.String, java.util.List<dev.rota.typed.Mail>>]");
    assertThat(Kind.of("k", int.class).type()).isEqualTo(Integer.class);
  }

  @Test
  void aTokenWithoutATypeIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(KindTest::<Mail>listKind)
        .withMessageContaining("'k' have the type java.util.List<T>, in which a variable stands");
    assertThatIllegalArgumentException().isThrownBy(KindTest::<Mail>arrayKind);
    assertThatIllegalStateException()
        .isThrownBy(new Inherited()::type)
        .withMessageContaining("names no type; write new TypeToken<List<Invoice>>() {}");
  }

  private static <T> Kind<List<T>> listKind() {
    return Kind.of("k", new TypeToken<List<T>>() {});
  }

  private static <T> Kind<T[]> arrayKind() {
    return Kind.of("k", new TypeToken<T[]>() {});
  }

  @SuppressWarnings("rawtypes")
  private static final class Inherited implements TypeToken {}

  @Test
  void nothingIsNoValue() {
    assertThatNullPointerException()
        .isThrownBy(() -> Mail.SEND.task(nothing()))
        .withMessage("value");
  }

  /** What a careless caller passes. */
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T nothing() {
    return null;
  }

  @Test
  void aSimpleCodecReadsClassesOnly() {
    PayloadCodec simple =
        new PayloadCodec() {
          @Override
          public String write(Object value) {
            return value.toString();
          }

          @Override
          public <T> T read(String payload, Class<T> type) {
            return type.cast(payload);
          }
        };
    assertThat(simple.write(1, Integer.class)).isEqualTo("1");
    assertThat(simple.read("a", (java.lang.reflect.Type) String.class)).isEqualTo("a");
    assertThatThrownBy(() -> simple.read("a", new TypeToken<List<Mail>>() {}.type()))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageEndingWith("reads classes only, not java.util.List<dev.rota.typed.Mail>");
  }
}
