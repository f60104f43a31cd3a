package dev.rota.spring.example;

/** Sends mails. */
@FunctionalInterface
public interface Mailer {
  void send(String to, int attempt) throws Exception;
}
