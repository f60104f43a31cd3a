package dev.rota.transfer.internal;

import dev.rota.Rota;
import dev.rota.RotaException;
import dev.rota.Tenant;
import dev.rota.archive.Archive;
import dev.rota.archive.internal.DefaultArchive;
import dev.rota.archive.internal.store.OptionalLibrary;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.text.SafeText;
import dev.rota.transfer.RestoreAllReport;
import dev.rota.transfer.RestoreOptions;
import dev.rota.transfer.RestoreReport;
import dev.rota.transfer.TenantTransfer;
import dev.rota.transfer.TransferException;
import dev.rota.transfer.TransferReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Default implementation of {@link TenantTransfer}; translates failures into messages for users.
 * Thread-safe.
 */
public final class DefaultTenantTransfer implements TenantTransfer {

  private static final String AGAIN =
      "; check its free space and the rights of this process, and repeat the call";

  private final Rota rota;
  private final Kernel kernel;
  private final @Nullable DefaultArchive archive;
  private final FileObserver observer;

  private DefaultTenantTransfer(
      Rota rota, @Nullable DefaultArchive archive, FileObserver observer) {
    this.rota = rota;
    this.kernel = DefaultRota.kernelOf(rota);
    this.archive = archive;
    this.observer = observer;
  }

  /** Creates a transfer; see {@link TenantTransfer}. */
  public static TenantTransfer of(Rota rota, @Nullable Archive archive) {
    OptionalLibrary.DUCKDB.require("A transfer of tenants");
    return of(rota, archive, FileObserver.NONE);
  }

  /** Creates a transfer with an observer, for tests. */
  public static TenantTransfer of(Rota rota, @Nullable Archive archive, FileObserver observer) {
    return new DefaultTenantTransfer(
        rota, archive == null ? null : DefaultArchive.of(archive), observer);
  }

  @Override
  public TransferReport exportTenant(String tenant, Path folder) {
    Tenant exported = rota.tenants().get(tenant);
    return told(
        "export tenant '" + exported.name() + "' to " + folder,
        () ->
            new Exporter(kernel.database(), kernel.tables(), archive, folder, observer)
                .export(kernel.registry().get(exported.number())));
  }

  @Override
  public TransferReport importTenant(Path folder, String tenant) {
    return imported(folder, tenant);
  }

  @Override
  public TransferReport importTenant(Path folder) {
    return imported(folder, null);
  }

  @Override
  public RestoreReport restoreTenant(String tenant, RestoreOptions options) {
    String purpose = "restore tenant '" + SafeText.whole(tenant) + "'";
    return told(purpose, () -> restorer(purpose, options).restore(tenant));
  }

  @Override
  public RestoreAllReport restoreAll(RestoreOptions options) {
    if (options.number().isPresent()) {
      throw new IllegalArgumentException(
          "number is " + options.number().getAsInt() + ", which is that of one tenant, not of all");
    }
    String purpose = "restore all tenants";
    return told(purpose, () -> restorer(purpose, options).restoreAll());
  }

  private Restorer restorer(String purpose, RestoreOptions options) {
    if (archive == null) {
      throw new TransferException("cannot " + purpose + ": say where the archive is");
    }
    return new Restorer(kernel.database(), kernel.registry(), archive, options);
  }

  private TransferReport imported(Path folder, @Nullable String tenant) {
    return told(
        "import a tenant from " + folder,
        () -> {
          TransferReport report =
              new Importer(kernel.database(), kernel.tables(), archive, folder, observer)
                  .importAs(tenant);
          kernel.registry().refresh();
          kernel.doorbell().ring(report.number());
          return report;
        });
  }

  private interface Work<T> {
    T run() throws IOException, SQLException;
  }

  private static <T> T told(String purpose, Work<T> work) {
    try {
      return work.run();
    } catch (UncheckedIOException e) {
      throw trouble(purpose, Objects.requireNonNull(e.getCause()));
    } catch (IOException e) {
      throw trouble(purpose, e);
    } catch (SQLException e) {
      throw SqlErrors.translate(purpose, e);
    }
  }

  private static RotaException trouble(String purpose, IOException e) {
    String reason =
        e instanceof FileSystemException system && system.getReason() != null
            ? system.getFile() + ": " + system.getReason()
            : String.valueOf(e.getMessage());
    return new TransferException("cannot " + purpose + ": " + reason + AGAIN, e);
  }
}
