package dev.rota.internal.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests which stack frames are kept with an error, and how they are found again. */
class ErrorTextTest {

  @Test
  void framesEndAtTheHandlerAndLeaveOutTheJdk() {
    Throwable error =
        thrown(
            frame("java.util.Objects", "requireNonNull"),
            frame("com.acme.Mailer", "send"),
            frame("com.acme.App", "lambda$main$0"),
            frame("dev.rota.internal.worker.HandlerExecutor", "handleOne"),
            frame("com.acme.App", "main"));
    assertThat(ErrorText.frames(error, 10))
        .isEqualTo(
            "\n\tat com.acme.Mailer.send(X.java:7)\n\tat com.acme.App.lambda$main$0(X.java:7)");
    assertThat(ErrorText.frames(error, 1)).isEqualTo("\n\tat com.acme.Mailer.send(X.java:7)");
    assertThat(ErrorText.frames(error, 0)).isEmpty();
  }

  @Test
  void causesShareTheNumberAndRepeatNothing() {
    Throwable outer = thrown(frame("com.acme.A", "a"), frame("com.acme.Main", "main"));
    outer.initCause(thrown(frame("com.acme.B", "b"), frame("com.acme.Main", "main")));
    assertThat(ErrorText.frames(outer, 10))
        .isEqualTo(
            "\n\tat com.acme.A.a(X.java:7)\n\tat com.acme.Main.main(X.java:7)"
                + "\n\tcaused by java.lang.IllegalStateException\n\tat com.acme.B.b(X.java:7)");
    assertThat(ErrorText.frames(outer, 2)).doesNotContain("caused by");
  }

  @Test
  void framesAreBoundedAndBeginNoLineOfTheirOwn() {
    StackTraceElement[] deep =
        IntStream.range(0, 100)
            .mapToObj(i -> frame("com.acme." + "x".repeat(200), "m" + i))
            .toArray(StackTraceElement[]::new);
    assertThat(ErrorText.frames(thrown(deep), 100).getBytes(UTF_8)).hasSizeLessThanOrEqualTo(4_096);
    assertThat(ErrorText.frames(thrown(frame("com.acme.A", "a\nforged\u001b[2J")), 10))
        .isEqualTo("\n\tat com.acme.A.a?forged?[2J(X.java:7)");
  }

  @Test
  void whatWasSaidIsFoundAgain() {
    String kept = "boom\ncaused by bang" + ErrorText.frames(thrown(frame("com.acme.A", "a")), 1);
    assertThat(ErrorText.said(kept)).isEqualTo("boom\ncaused by bang");
    assertThat(ErrorText.stack(kept)).contains("at com.acme.A.a(X.java:7)");
    assertThat(ErrorText.said("boom")).isEqualTo("boom");
    assertThat(ErrorText.stack("boom")).isEmpty();
  }

  @Test
  void whatCannotBeReadIsLeftOut() {
    Throwable causeless = causeless();
    assertThat(ErrorText.frames(causeless, 10)).isEmpty();
    assertThat(ErrorText.names(causeless))
        .isEqualTo(causeless.getClass().getName() + ", whose cause cannot be read");
  }

  private static Throwable causeless() {
    return new Exception() {
      private static final long serialVersionUID = 1L;

      @Override
      public synchronized Throwable getCause() {
        throw new IllegalStateException("no cause");
      }
    };
  }

  private static Throwable thrown(StackTraceElement... frames) {
    Throwable error = new IllegalStateException("said elsewhere");
    error.setStackTrace(frames);
    return error;
  }

  private static StackTraceElement frame(String type, String method) {
    return new StackTraceElement(type, method, "X.java", 7);
  }

  @Test
  void namesTheExceptionWithWhichATextBegins() {
    assertThat(ErrorText.simpleName("java.lang.IllegalStateException: boom"))
        .isEqualTo("IllegalStateException");
    assertThat(ErrorText.simpleName("java.io.IOException")).isEqualTo("IOException");
    assertThat(ErrorText.simpleName("app.Mail$Refused: no")).isEqualTo("Refused");
    assertThat(ErrorText.simpleName("Refused, whose message cannot be read: class E"))
        .isEqualTo("Refused");
    assertThat(ErrorText.simpleName("app.Refused\ncaused by app.Other")).isEqualTo("Refused");
  }

  @Test
  void aTextThatBeginsWithNoExceptionNamesNone() {
    assertThat(ErrorText.simpleName("not run: 3 attempts were begun")).isNull();
    assertThat(ErrorText.simpleName("Timeout of the server")).isNull();
    assertThat(ErrorText.simpleName("timeout")).isNull();
    assertThat(ErrorText.simpleName("app.: no")).isNull();
    assertThat(ErrorText.simpleName("")).isNull();
  }
}
