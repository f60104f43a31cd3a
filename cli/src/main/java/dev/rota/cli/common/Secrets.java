package dev.rota.cli.common;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Removes passwords from the output: registered ones, and texts that look like one. */
public final class Secrets {

  private static final String MASK = "***";

  /**
   * Matches up to the next parameter, since a password may contain blanks: rather too much than too
   * little.
   */
  private static final Pattern PARAMETER = Pattern.compile("(?i)(password=)[^&\"'\\r\\n]+");

  private static final Pattern USER_INFO = Pattern.compile("//([^\\s/:@]*):\\S+@");

  /**
   * The length of the shortest password that is replaced: shorter ones are also parts of ordinary
   * words. The patterns still find them in URLs.
   */
  private static final int SHORTEST = 3;

  private final Set<String> known = ConcurrentHashMap.newKeySet();

  public void add(String secret) {
    if (secret.length() >= SHORTEST) {
      known.add(secret);
    }
  }

  public String scrub(String text) {
    String scrubbed =
        USER_INFO.matcher(text).replaceAll("//$1:" + Matcher.quoteReplacement(MASK) + "@");
    scrubbed = PARAMETER.matcher(scrubbed).replaceAll("$1" + Matcher.quoteReplacement(MASK));
    for (String secret : known) {
      scrubbed = scrubbed.replace(secret, MASK);
    }
    return scrubbed;
  }
}
