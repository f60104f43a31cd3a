package dev.rota.junit;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.jackson.JacksonCodec;
import dev.rota.typed.Kind;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Tests whose settings hold in nested classes: without a codec, no value can be enqueued. */
class NestedTest {

  private static final Kind<Note> NOTE = Kind.of("note", Note.class);

  record Note(String text) {}

  static final class WithJson implements UnaryOperator<Rota.Builder> {
    @Override
    public Rota.Builder apply(Rota.Builder builder) {
      return builder.payloadCodec(JacksonCodec.create());
    }
  }

  private static void enqueueAValue(TestRota rota, Tenant tenant) {
    tenant.enqueue(NOTE.task(new Note("pen")));
    rota.assertThat(tenant).hasPending(NOTE, note -> note.text().equals("pen"));
  }

  @Nested
  @RotaTest(settings = WithJson.class)
  class InAPlainClass {

    @Test
    void itsOwnSettingsHold(TestRota rota, Tenant acme) {
      enqueueAValue(rota, acme);
    }

    @Nested
    class WithoutAnAnnotation {

      @Test
      void thoseAroundItHold(TestRota rota, Tenant acme) {
        enqueueAValue(rota, acme);
      }
    }
  }

  @Nested
  @RotaTest
  class InAnAnnotatedClass {

    @Nested
    @RotaTest(settings = WithJson.class)
    class WithAnAnnotation {

      @Test
      void itsOwnSettingsHold(TestRota rota, Tenant acme) {
        enqueueAValue(rota, acme);
      }
    }
  }
}
