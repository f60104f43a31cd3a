package dev.rota.dashboard.browser;

import dev.rota.testing.Await;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebDriver;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.FluentWait;
import org.openqa.selenium.support.ui.WebDriverWait;

/** A Chromium without a window and with an empty profile. Not thread-safe. */
public final class Browser implements AutoCloseable {

  private static final String DRIVER_PROPERTY = "webdriver.chrome.driver";
  private static final Path DRIVER =
      Path.of(System.getProperty(DRIVER_PROPERTY, "/usr/bin/chromedriver"));
  private static final Path PROGRAM = Path.of("/usr/bin/chromium");

  /** It warns of each version of Chromium, for lack of classes that nothing here uses. */
  private static final Logger VERSIONS =
      Logger.getLogger("org.openqa.selenium.devtools.CdpVersionFinder");

  private static final Duration LOOKS = Duration.ofMillis(50);
  private static final int MOST_TABS = 200;
  private static final int WIDTH = 1_280;
  private static final int HEIGHT = 900;

  /** What the setting of a profile calls a thing that is not allowed. */
  private static final int BLOCKED = 2;

  private final Path profile;
  private final ChromeDriver driver;

  private Browser(Path profile, ChromeDriver driver) {
    this.profile = profile;
    this.driver = driver;
  }

  /** The reason why no browser can be started, and the remedy; empty if it can. */
  static Optional<String> missing() {
    return Stream.of(PROGRAM, DRIVER)
        .filter(each -> !Files.isExecutable(each))
        .findFirst()
        .map(
            each ->
                "Tests in a browser are skipped: there is no "
                    + each
                    + "; on Debian: apt-get install chromium chromium-driver");
  }

  /** Starts a browser, and nothing is fetched for it. */
  static Browser start(boolean script) {
    VERSIONS.setLevel(Level.OFF);
    Path profile = newFolder();
    ChromeDriverService service =
        new ChromeDriverService.Builder().usingDriverExecutable(DRIVER.toFile()).build();
    return new Browser(profile, new ChromeDriver(service, options(profile, script)));
  }

  private static Path newFolder() {
    try {
      return Files.createTempDirectory("rota-browser-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ChromeOptions options(Path profile, boolean script) {
    ChromeOptions options = new ChromeOptions();
    options.setBinary(PROGRAM.toFile());
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--user-data-dir=" + profile);
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    logs.enable(LogType.PERFORMANCE, Level.ALL);
    options.setCapability("goog:loggingPrefs", logs);
    if (!script) {
      options.setExperimentalOption(
          "prefs", Map.of("profile.managed_default_content_settings.javascript", BLOCKED));
    }
    return options;
  }

  public ChromeDriver driver() {
    return driver;
  }

  /** Forgets what earlier pages stored, and what they asked for. */
  void forget() {
    call("Storage.clearDataForOrigin", Map.of("origin", "*", "storageTypes", "all"));
    call("Network.clearBrowserCache", Map.of());
    driver.get("about:blank");
    resize(WIDTH, HEIGHT);
    new BrowserLog(driver).clear();
  }

  /** What the pages wrote and asked for since this was called last. */
  BrowserLog log() {
    return new BrowserLog(driver);
  }

  public String address() {
    return driver.getCurrentUrl();
  }

  public void open(URI address) {
    driver.get(address.toString());
  }

  /** Gives the page another size. */
  public void resize(int width, int height) {
    call(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  /** Sets the colours that the system of the viewer prefers: light or dark. */
  void prefer(String colors) {
    call(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", colors))));
  }

  private void call(String command, Map<String, Object> arguments) {
    var unused = driver.executeCdpCommand(command, arguments);
  }

  public WebElement find(String selector) {
    return driver.findElement(By.cssSelector(selector));
  }

  public List<WebElement> all(String selector) {
    return driver.findElements(By.cssSelector(selector));
  }

  /** A link by its whole text. */
  WebElement link(String text) {
    return driver.findElement(By.linkText(text));
  }

  /** Clicks a link with this text, and takes the next one if the page renews itself meanwhile. */
  void clickLink(String text) {
    click(By.linkText(text));
  }

  /** Clicks an element, and takes the next one if the page renews itself meanwhile. */
  void click(String selector) {
    click(By.cssSelector(selector));
  }

  private void click(By element) {
    await(
        element + " can be clicked",
        () -> {
          driver.findElement(element).click();
          return true;
        });
  }

  /** Waits until the script of a dashboard has set up the page. */
  void awaitScript() {
    await("the script runs", () -> find("#theme").isDisplayed());
  }

  /** Waits until the page has renewed itself once more. */
  void awaitRenewal() {
    var unused = value("document.getElementById('page').dataset.old = 'yes'");
    await("the page renews itself", () -> all("#page[data-old]").isEmpty());
  }

  public String heading() {
    return text(By.tagName("h1"));
  }

  /** The value of a figure by its name. */
  public String figure(String name) {
    String path = "//dl//dt[.='" + name + "']/following-sibling::dd";
    return text(By.xpath(path));
  }

  /** Reads an element, and the next one if the page renews itself meanwhile. */
  private String text(By element) {
    return patient(element + " can be read").until(page -> page.findElement(element).getText());
  }

  /** The result of an expression in the page. */
  public Object value(String expression) {
    return driver.executeScript("return " + expression);
  }

  /** Presses keys one after the other, wherever the focus is. */
  void press(CharSequence... keys) {
    new Actions(driver).sendKeys(keys).perform();
  }

  /** Presses the key until the focus is on an element that a selector finds. */
  void tabTo(String selector) {
    for (int i = 0; i < MOST_TABS; i++) {
      press(Keys.TAB);
      if (value("document.activeElement.matches(\"" + selector + "\")").equals(true)) {
        return;
      }
    }
    throw new AssertionError("the focus does not reach " + selector);
  }

  WebElement focused() {
    return driver.switchTo().activeElement();
  }

  /** Waits until a condition holds, while the page may renew itself. */
  public void await(String what, BooleanSupplier condition) {
    patient(what).until(page -> condition.getAsBoolean());
  }

  private FluentWait<WebDriver> patient(String what) {
    return new WebDriverWait(driver, Await.USUAL, LOOKS)
        .ignoring(StaleElementReferenceException.class)
        .withMessage(what);
  }

  /** Writes a picture of the page. */
  public void photograph(Path file) throws IOException {
    Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
  }

  /** Ends the browser and its driver, and waits for the ends of their processes. */
  @Override
  public void close() throws IOException {
    List<ProcessHandle> own =
        ProcessHandle.current().descendants().filter(Browser::isBrowser).toList();
    driver.quit();
    Await.until("the browser ends", () -> own.stream().noneMatch(ProcessHandle::isAlive));
    try (Stream<Path> files = Files.walk(profile)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    }
  }

  private static boolean isBrowser(ProcessHandle process) {
    return process.info().command().filter(name -> name.contains("chrom")).isPresent();
  }
}
