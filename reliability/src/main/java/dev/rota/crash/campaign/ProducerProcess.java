package dev.rota.crash.campaign;

import dev.rota.Rota;
import dev.rota.processes.JavaProcess;
import dev.rota.testing.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Runs a producer in a separate process, until it reads "stop" or its standard input ends. */
final class ProducerProcess {

  private ProducerProcess() {}

  /** Arguments: the URL, the log, the number of the producer, how many tasks a second, the seed. */
  public static void main(String[] args) throws IOException, InterruptedException {
    PrintStream answers = JavaProcess.answers();
    String url = args[0];
    CampaignProducer.Orders orders =
        new CampaignProducer.Orders(
            Integer.parseInt(args[2]), Integer.parseInt(args[3]), Long.parseLong(args[4]));
    answers.println("started");
    try (ProducerLog log = new ProducerLog(Path.of(args[1]));
        Rota rota = Await.success("connect", () -> Rota.connect(url))) {
      CampaignProducer producer = new CampaignProducer(rota, url, log, orders);
      List<Thread> threads = producer.start();
      awaitStop();
      producer.stop();
      for (Thread thread : threads) {
        thread.join();
      }
    }
    answers.println("stopped");
  }

  /** Waits for any line, or the end of the parent process. */
  static void awaitStop() throws IOException {
    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
  }
}
