package dev.rota.dashboard;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * A person who looks at the dashboard. Immutable.
 *
 * @param name the name, which pages show and the audit keeps; 1 to 200 characters
 * @param rights what the person may do
 * @param tenants the names of the only tenants that the person sees; empty for all tenants
 */
public record Viewer(String name, Set<Right> rights, Optional<Set<String>> tenants) {

  private static final int LONGEST_NAME = 200;

  /**
   * Keeps copies.
   *
   * @param name the name
   * @param rights what the person may do
   * @param tenants the names of the only tenants
   * @throws IllegalArgumentException if the name is blank or too long
   */
  public Viewer {
    if (name.isBlank() || name.length() > LONGEST_NAME) {
      throw new IllegalArgumentException(
          "the name of a viewer has %d characters; use 1 to %d"
              .formatted(name.length(), LONGEST_NAME));
    }
    rights = Set.copyOf(rights);
    tenants = tenants.map(Set::copyOf);
  }

  /**
   * A viewer of all tenants who only reads, without payloads.
   *
   * @param name the name
   * @return the viewer
   */
  public static Viewer reader(String name) {
    return new Viewer(name, EnumSet.of(Right.READ), Optional.empty());
  }

  /**
   * A viewer of all tenants with all rights.
   *
   * @param name the name
   * @return the viewer
   */
  public static Viewer operator(String name) {
    return new Viewer(name, EnumSet.allOf(Right.class), Optional.empty());
  }

  /**
   * The same person with other rights.
   *
   * @param others the rights
   * @return the viewer
   */
  public Viewer with(Set<Right> others) {
    return new Viewer(name, others, tenants);
  }

  /**
   * The same person, who sees some tenants alone.
   *
   * @param names their names
   * @return the viewer
   */
  public Viewer onlyTenants(Set<String> names) {
    return new Viewer(name, rights, Optional.of(names));
  }

  /**
   * Tells whether the person has a right.
   *
   * @param right the right
   * @return whether it is so
   */
  public boolean may(Right right) {
    return rights.contains(right);
  }

  /**
   * Tells whether the person sees a tenant.
   *
   * @param tenant its name
   * @return whether it is so
   */
  public boolean sees(String tenant) {
    return tenants.isEmpty() || tenants.get().contains(tenant);
  }
}
