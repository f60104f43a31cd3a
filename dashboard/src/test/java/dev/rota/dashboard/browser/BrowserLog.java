package dev.rota.dashboard.browser;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.json.Json;
import org.openqa.selenium.logging.LogType;

/** What a browser wrote down since it was read last: messages of its console, and its requests. */
final class BrowserLog {

  private static final Json JSON = new Json();

  private final ChromeDriver driver;

  BrowserLog(ChromeDriver driver) {
    this.driver = driver;
  }

  void clear() {
    var unusedEvents = events();
    var unusedMessages = messages();
  }

  /** Errors and warnings, such as those of the policy of a page. */
  List<String> messages() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .map(entry -> entry.getLevel() + " " + entry.getMessage())
        .toList();
  }

  /** The events of the protocol of Chromium's tools. */
  List<Event> events() {
    return driver.manage().logs().get(LogType.PERFORMANCE).getAll().stream()
        .map(entry -> Event.of(entry.getMessage()))
        .toList();
  }

  /** An event with what belongs to it. */
  record Event(String name, Map<?, ?> parameters) {

    static Event of(String text) {
      Map<?, ?> message = (Map<?, ?>) JSON.<Map<?, ?>>toType(text, Map.class).get("message");
      return new Event((String) message.get("method"), (Map<?, ?>) message.get("params"));
    }

    /** The address of a request that begins; none for other events. */
    Stream<String> address() {
      return name.equals("Network.requestWillBeSent")
          ? Stream.of((String) ((Map<?, ?>) parameters.get("request")).get("url"))
          : Stream.empty();
    }

    /** The bytes of an answer as they came, with its headers; 0 for other events. */
    long bytes() {
      return name.equals("Network.loadingFinished")
          ? ((Number) parameters.get("encodedDataLength")).longValue()
          : 0;
    }
  }
}
