package dev.rota.dashboard.internal;

import dev.rota.dashboard.internal.view.View;
import dev.rota.dashboard.internal.view.Visit;
import java.util.function.Function;

/**
 * A page at a path.
 *
 * @param path the path below the mount
 * @param label its entry in the navigation; empty if it has none
 * @param ofAllTenants whether it is closed to viewers who see some tenants alone
 * @param page makes the page
 */
record Route(String path, String label, boolean ofAllTenants, Function<Visit, View> page) {

  /** A page that is open to viewers of some tenants. */
  static Route of(String path, String label, Function<Visit, View> page) {
    return new Route(path, label, false, page);
  }

  /** A page about all tenants. */
  static Route ofAll(String path, String label, Function<Visit, View> page) {
    return new Route(path, label, true, page);
  }

  boolean isOpenTo(Visit visit) {
    return !ofAllTenants || visit.viewer().tenants().isEmpty();
  }

  View show(Visit visit) {
    if (ofAllTenants) {
      visit.requireAllTenants();
    }
    return page.apply(visit);
  }
}
