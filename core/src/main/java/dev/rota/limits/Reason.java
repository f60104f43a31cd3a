package dev.rota.limits;

import dev.rota.internal.text.SafeText;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One reason why tasks of a tenant do not begin.
 *
 * @param code what it is, for programs
 * @param holdsAll whether it alone holds back all tasks that were asked about
 * @param text a sentence with figures, for people
 * @param data the figures by name: texts, numbers, booleans, and lists of such maps; times are
 *     texts in the form of {@link java.time.Instant}. Further names may come with later versions
 */
public record Reason(Code code, boolean holdsAll, String text, Map<String, Object> data) {

  /** Creates a reason with a copy of the data in their order, and a text that is safe to show. */
  public Reason {
    text = SafeText.whole(text);
    data = Collections.unmodifiableMap(new LinkedHashMap<>(data));
  }

  /** The reasons that there are. Later versions may have more. */
  public enum Code {
    /** No tenant has the name. Data: {@code renamedTo}, if another one had it. */
    UNKNOWN_TENANT,

    /** The tenant of this name was erased. Data: {@code finishedAt}. */
    ERASED,

    /** The tenant is being erased. Data: {@code begunAt}. */
    BEING_ERASED,

    /** An import of the tenant has not ended. */
    BEING_IMPORTED,

    /** The tenant has no tables, as its next task makes them: nothing is pending. */
    PARKED,

    /** The tenant refuses new tasks; those that it has run. */
    CLOSED,

    /** A scope of the tasks is paused. Data: {@code scope, reason, since, until}. */
    PAUSED,

    /**
     * Workers hold all slots of a cap. Data: {@code scope, cap, held, holders}; each holder has
     * {@code worker, host, held, alive}.
     */
    CAPPED,

    /**
     * All starts of a rate are used until a time. Data: {@code scope, rate, nextStart}; workers may
     * hold starts before it that they have leased.
     */
    RATE_LIMITED,

    /** No live worker serves the pool of the tenant. Data: {@code pool}. */
    POOL_NOT_SERVED,

    /** No task is pending. Data: {@code running}. */
    NOTHING_PENDING,

    /** Tasks wait for a time or a retry. Data: {@code tasks, retries, nextDue}. */
    DELAYED,

    /** Tasks are due, and no daemon leads that would promote them. Data: {@code tasks}. */
    NO_DAEMON,

    /** Tasks of graphs wait for prerequisites. Data: {@code tasks}. */
    BLOCKED,

    /** Enqueues with keys that are taken add no task. Data: {@code keys, ofEndedTasks}. */
    KEYS_TAKEN,

    /**
     * Rows that no worker can run were set aside. Data: {@code tasks, lastTask, lastAt, reason}.
     */
    SET_ASIDE,

    /** No worker has a live heartbeat. Data: {@code lastHeartbeatSecondsAgo}, if one has a row. */
    NO_WORKER,

    /**
     * No live worker has a handler for a kind, as all of them told with their last heartbeats.
     * Data: {@code kind, pending, oldestPendingSeconds}.
     */
    KIND_NOT_HANDLED,

    /**
     * A live worker does not tell its kinds, no other one handles this kind, and the hourly
     * statistics have no attempt of it that ended lately. Data: {@code kind, pending,
     * oldestPendingSeconds}.
     */
    KIND_NOT_SEEN,

    /**
     * Live workers of an older version know no rules, and run what these hold back. Data: {@code
     * workers, of}.
     */
    OLD_WORKERS,

    /**
     * Other tenants want handlers too. Data: {@code is, due, handlers, weight, tier,
     * tenantsThatWait, ofHigherTiers}.
     */
    SHARE
  }
}
