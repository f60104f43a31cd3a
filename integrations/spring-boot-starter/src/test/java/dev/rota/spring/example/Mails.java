package dev.rota.spring.example;

import dev.rota.Task;
import dev.rota.spring.RotaHandler;
import dev.rota.typed.Kind;
import org.springframework.stereotype.Component;

/** Runs the tasks that send mails. */
@Component
class Mails {

  static final Kind<SendMail> SEND_MAIL = Kind.of("email.send", SendMail.class);

  private final Mailer mailer;

  Mails(Mailer mailer) {
    this.mailer = mailer;
  }

  record SendMail(String to) {}

  // begin handler
  @RotaHandler("email.send")
  void send(SendMail mail, Task task) throws Exception {
    mailer.send(mail.to(), task.attempt());
  }
  // end handler
}
