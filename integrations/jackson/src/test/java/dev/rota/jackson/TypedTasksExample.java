package dev.rota.jackson;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageResult;
import dev.rota.typed.Kind;
import dev.rota.typed.TaskKind;
import dev.rota.typed.TypeToken;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/** The examples of docs/typed-tasks.md. */
final class TypedTasksExample {

  private TypedTasksExample() {}

  // begin kind
  record SendMail(String to, String template) {}

  static final Kind<SendMail> SEND_MAIL = Kind.of("email.send", SendMail.class);

  // end kind

  static Rota build(DataSource dataSource) {
    // begin codec
    Rota rota = Rota.builder(dataSource).payloadCodec(JacksonCodec.create()).build();
    // end codec
    return rota;
  }

  static Worker work(Rota rota, Tenant acme, Mailer mailer) {
    // begin use
    Worker worker =
        rota.worker().handle(SEND_MAIL, (mail, task) -> mailer.send(mail, task.attempt())).start();

    acme.enqueue(SEND_MAIL.task(new SendMail("joe@example.org", "welcome")));
    acme.enqueue(
        SEND_MAIL.task(new SendMail("joe@example.org", "survey")).after(Duration.ofDays(7)));
    // end use
    return worker;
  }

  // begin former
  static final Kind<SendMail> RENAMED =
      Kind.of("email.send", SendMail.class).formerly("mail.send", "send-mail");

  // end former

  // begin interface
  interface MailTasks {
    @TaskKind("email.send")
    void send(SendMail mail);

    @TaskKind(value = "email.digest", formerly = "mail.digest")
    long sendDigest(List<SendMail> mails);
  }

  // end interface

  static Worker call(Rota rota, Tenant acme, MailTasks service) {
    // begin calls
    MailTasks mails = acme.tasks(MailTasks.class);
    mails.send(new SendMail("ann@example.org", "welcome")); // enqueues a task

    Worker worker = rota.worker().handle(MailTasks.class, service).start(); // runs it
    // end calls
    return worker;
  }

  // begin generic
  static final Kind<List<SendMail>> DIGEST =
      Kind.of("email.digest", new TypeToken<List<SendMail>>() {});

  // end generic

  static Worker post(Rota rota, Tenant acme, Mailer mailer) {
    // begin stages
    Pipeline post = Pipeline.named("post").stage("write").stage("send").build();
    Kind<String> write = Kind.of(post.kind("write"), String.class);
    Kind<SendMail> send = Kind.of(post.kind("send"), SendMail.class);
    Worker worker =
        rota.worker()
            .stage(post, write, (to, task) -> StageResult.moveTo(send, new SendMail(to, "news")))
            .stage(post, send, (mail, task) -> mailer.sent(mail))
            .start();
    acme.enqueue(write.task("joe@example.org"));
    // end stages
    return worker;
  }

  /** Sends mails. */
  interface Mailer {

    void send(SendMail mail, int attempt);

    default StageResult sent(SendMail mail) {
      send(mail, 1);
      return StageResult.finish();
    }
  }
}
