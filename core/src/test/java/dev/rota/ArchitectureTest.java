package dev.rota;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.constructors;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.theClass;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.rota.history.ArchivedRows;
import dev.rota.history.ArchivedSegment;
import dev.rota.history.HistoryArchive;
import dev.rota.internal.Features;
import dev.rota.internal.Kernel;
import dev.rota.internal.RotaBuilder;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.spi.DaemonLoad;
import dev.rota.spi.EndedAttempt;
import dev.rota.spi.PayloadCodec;
import dev.rota.spi.PayloadException;
import dev.rota.spi.TaskObserver;
import dev.rota.spi.WorkerLoad;
import java.io.Serializable;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks the dependencies between packages, and the absence of banned constructs. */
class ArchitectureTest {

  private static final String ROOT = "dev.rota";
  private static final String INTERNAL = "dev.rota..internal..";
  private static final String SEAM = "dev.rota.internal.db";
  private static final String WORKER = "dev.rota.internal.worker";
  private static final String SCHEDULE = "dev.rota.schedule.internal";
  private static final String LOG = "dev.rota.internal.log";
  private static final String TEXT = "dev.rota.internal.text";
  private static final String SPI = "dev.rota.spi";

  /** The packages of the API besides the root: one a feature. */
  private static final List<String> FEATURES =
      Stream.of(
              "admin",
              "assignment",
              "audit",
              "control",
              "graph",
              "history",
              "insight",
              "limits",
              "metering",
              "pipeline",
              "schedule",
              "typed")
          .map(name -> ROOT + "." + name)
          .toList();

  /**
   * What each package may use: the layers before its own. Those of one layer use none beside it.
   */
  private static final List<Set<String>> LAYERS =
      List.of(
          Set.of(TEXT),
          Set.of(LOG),
          Set.of("dev.rota.internal.sql"),
          Set.of(SEAM),
          Set.of("dev.rota.internal.payload", "dev.rota.internal.pool", "dev.rota.internal.schema"),
          Set.of(
              "dev.rota.internal.config",
              "dev.rota.internal.maintenance",
              "dev.rota.internal.tenant"),
          Set.of("dev.rota.internal.enqueue"),
          Set.of("dev.rota.internal.settle"),
          Set.of("dev.rota.internal.claim"),
          Set.of("dev.rota.limits.internal.quota", "dev.rota.limits.internal.why"),
          Stream.concat(
                  FEATURES.stream().map(feature -> feature + ".internal"),
                  Stream.of("dev.rota.internal.key"))
              .collect(Collectors.toSet()),
          Set.of(WORKER),
          Set.of("dev.rota.internal.statistics"),
          Set.of("dev.rota.internal"));

  /**
   * The features that use another: a cancelled graph cancels tasks, a replay reads history, and
   * insight reads what several features keep.
   */
  private static final Set<String> BESIDE =
      Set.of(
          "dev.rota.graph.internal -> dev.rota.control.internal",
          "dev.rota.control.internal -> dev.rota.history.internal",
          "dev.rota.insight.internal -> dev.rota.admin.internal",
          "dev.rota.insight.internal -> dev.rota.history.internal",
          "dev.rota.insight.internal -> dev.rota.schedule.internal");

  /** The types of the root that may name features. */
  private static final Set<String> FACADE =
      Set.of("Rota", "Tenant", "TenantInfo", "Batch", "Worker");

  private static final int MOST_PARAMETERS = 5;

  /** The classes that put the parts of a Rota together. */
  private static final List<String> ASSEMBLY =
      List.of(
          "Features",
          "Kernel",
          "RotaBuilder",
          "DefaultRota",
          "DefaultTenant",
          "DefaultWorker",
          "WorkerBuilder");

  private static final JavaClasses ROTA =
      new ClassFileImporter().importPath(Path.of("target", "classes"));

  private static final JavaClasses TESTS =
      new ClassFileImporter()
          .withImportOption(new ImportOption.OnlyIncludeTests())
          .importPackages(ROOT);

  @Test
  void thereIsSomethingToLookAt() {
    assertThat(ROTA.stream().map(JavaClass::getPackageName).distinct())
        .containsExactlyInAnyOrder(
            Stream.of(List.of(Set.of(ROOT, SPI), Set.copyOf(FEATURES)), LAYERS)
                .flatMap(List::stream)
                .flatMap(Set::stream)
                .toArray(String[]::new));
    assertThat(ROTA.stream().map(JavaClass::getSimpleName)).doesNotContain("ArchitectureTest");
  }

  @Test
  void usersSeeNothingInternal() {
    noClasses()
        .that()
        .resideOutsideOfPackage(INTERNAL)
        .and()
        .doNotHaveFullyQualifiedName(Rota.class.getName())
        .should()
        .dependOnClassesThat(resideInAPackage(INTERNAL).and(not(resideInAPackage(TEXT))))
        .check(ROTA);
    methods()
        .that()
        .areDeclaredInClassesThat()
        .resideOutsideOfPackage(INTERNAL)
        .should(haveNothingInternalInTheirSignature())
        .check(ROTA);
    theClass(Rota.class)
        .should()
        .onlyDependOnClassesThat(
            not(resideInAPackage(INTERNAL)).or(assignableTo(RotaBuilder.class)))
        .check(ROTA);
  }

  @Test
  void whatExtendersImplementNeedsOnlyJava() {
    Set<Class<?>> contract =
        Set.of(
            RetryPolicy.BackOff.class,
            HistoryArchive.class,
            ArchivedRows.class,
            ArchivedSegment.class,
            PayloadCodec.class,
            PayloadException.class,
            TaskObserver.class,
            TaskObserver.EnqueuePath.class,
            TaskObserver.Enqueued.class,
            TaskObserver.Claimed.class,
            TaskObserver.HandlerCall.class,
            TaskObserver.HandlerCalls.class,
            TaskObserver.TaskRun.class,
            TaskObserver.EnqueueTrace.class,
            TaskObserver.Settled.class,
            EndedAttempt.class,
            EndedAttempt.Ending.class,
            WorkerLoad.class,
            DaemonLoad.class,
            DaemonLoad.Rings.class,
            DaemonLoad.Segments.class,
            DaemonLoad.Archived.class);
    classes()
        .that(describe("are implemented outside", type -> isOneOf(contract, type)))
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage("java..", "org.jspecify.annotations")
                .or(
                    describe(
                        "are part of it", type -> isOneOf(contract, type.getBaseComponentType()))))
        .check(ROTA);
  }

  private static boolean isOneOf(Set<Class<?>> types, JavaClass type) {
    return types.stream().anyMatch(type::isEquivalentTo);
  }

  @Test
  void onlyTheFacadeNamesFeatures() {
    noClasses()
        .that()
        .resideInAPackage(ROOT)
        .and(describe("are no facade", type -> !FACADE.contains(topLevelName(type))))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(FEATURES.toArray(String[]::new))
        .check(ROTA);
  }

  private static String topLevelName(JavaClass type) {
    String name = type.getName().substring(type.getPackageName().length() + 1);
    return name.replaceFirst("\\$.*", "");
  }

  @Test
  void statementsGoThroughTheSeam() {
    noClasses()
        .that()
        .resideOutsideOfPackage(SEAM)
        .should()
        .dependOnClassesThat(assignableTo(Statement.class))
        .orShould()
        .callMethodWhere(
            describe(
                "makes a statement",
                call ->
                    call.getTargetOwner().isEquivalentTo(Connection.class)
                        && (call.getName().startsWith("prepare")
                            || call.getName().equals("createStatement"))))
        .check(ROTA);
  }

  @Test
  void packagesUseOnlyTheLayersBelowThem() {
    Set<String> upward =
        ROTA.stream()
            .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
            .filter(edge -> isUpward(packageOf(edge.getOriginClass()), packageOf(target(edge))))
            .map(edge -> packageOf(edge.getOriginClass()) + " -> " + packageOf(target(edge)))
            .collect(Collectors.toCollection(TreeSet::new));
    System.out.println("packages that use a feature beside them or a layer above: " + upward);
    assertThat(upward).isSubsetOf(BESIDE);
  }

  private static boolean isUpward(String from, String to) {
    return !from.equals(to) && layer(from) >= 0 && layer(to) >= layer(from);
  }

  private static int layer(String name) {
    return IntStream.range(0, LAYERS.size())
        .filter(i -> LAYERS.get(i).contains(name))
        .findFirst()
        .orElse(-1);
  }

  private static String packageOf(JavaClass type) {
    return type.getPackageName();
  }

  private static JavaClass target(Dependency edge) {
    return edge.getTargetClass().getBaseComponentType();
  }

  /** A class that is given all parts says nothing of what it needs. */
  @Test
  void onlyAssemblySeesTheKernel() {
    noClasses()
        .that(describe("are given their parts", type -> !isAssembly(type)))
        .should()
        .dependOnClassesThat()
        .areAssignableTo(Kernel.class)
        .check(ROTA);
  }

  private static boolean isAssembly(JavaClass type) {
    return ASSEMBLY.stream().anyMatch(name -> (type.getName() + "$").contains("." + name + "$"));
  }

  /** The daemon runs the tasks that this one class lists. */
  @Test
  void featuresListAllMaintenance() {
    List<String> tasks =
        ROTA.stream()
            .filter(type -> !type.isInterface() && type.isAssignableTo(MaintenanceTask.class))
            .map(JavaClass::getName)
            .toList();
    assertThat(tasks).hasSizeGreaterThanOrEqualTo(4);
    assertThat(ROTA.get(Features.class).getConstructorCallsFromSelf())
        .extracting(call -> call.getTargetOwner().getName())
        .containsAll(tasks);
  }

  @Test
  void shownTextsDependOnNothing() {
    classes()
        .that()
        .resideInAPackage(TEXT)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", TEXT, "org.jspecify.annotations")
        .check(ROTA);
  }

  /** SLF4J without a provider would drop what they say. */
  @Test
  void loggersAreMadeInOnePlace() {
    noClasses()
        .that()
        .resideOutsideOfPackage(LOG)
        .should()
        .dependOnClassesThat(assignableTo(LoggerFactory.class))
        .check(ROTA);
  }

  @Test
  void occurrencesAreCalculatedWithoutADatabase() {
    noClasses()
        .that()
        .haveNameMatching("dev\\.rota\\.schedule\\.internal\\.(\\w*Timetable|Occurrence).*")
        .should()
        .dependOnClassesThat(
            resideInAPackage("java.sql..")
                .or(resideInAPackage(INTERNAL).and(not(resideInAnyPackage(SCHEDULE, TEXT)))))
        .check(ROTA);
    noClasses()
        .that()
        .resideOutsideOfPackage(SCHEDULE)
        .should()
        .dependOnClassesThat()
        .resideInAPackage("com.cronutils..")
        .check(ROTA);
  }

  @Test
  void constructorsTakeAHandfulOfParameters() {
    constructors()
        .should(
            new ArchCondition<JavaCodeUnit>("have at most " + MOST_PARAMETERS + " parameters") {
              @Override
              public void check(JavaCodeUnit constructor, ConditionEvents events) {
                if (constructor.getRawParameterTypes().size() > MOST_PARAMETERS) {
                  events.add(
                      SimpleConditionEvent.violated(constructor, constructor.getDescription()));
                }
              }
            })
        .check(ROTA);
  }

  @Test
  void onlyExceptionsAreSerializable() {
    noClasses()
        .that()
        .areNotAssignableTo(Throwable.class)
        .and()
        .areNotEnums()
        // What a library makes serializable, we need not.
        .should(
            new ArchCondition<JavaClass>("implement Serializable by themselves") {
              @Override
              public void check(JavaClass type, ConditionEvents events) {
                boolean itself =
                    type.getRawInterfaces().stream()
                        .anyMatch(other -> other.isEquivalentTo(Serializable.class));
                events.add(new SimpleConditionEvent(type, itself, type.getDescription()));
              }
            })
        .orShould()
        .dependOnClassesThat()
        .haveNameMatching("java\\.io\\.Object(In|Out)putStream")
        .check(ROTA);
  }

  @Test
  void timeIsThatOfTheDatabase() {
    noClasses()
        .should()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethodWhere(
            describe(
                "asks the clock of this machine",
                call ->
                    call.getName().equals("now")
                        && call.getTargetOwner().getPackageName().equals("java.time")))
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(java.util.Date.class)
        .because("clocks of two machines are never compared")
        .check(ROTA);
  }

  @Test
  void nothingIsPrintedAndLoggersAreConstants() {
    noClasses().should().accessField(System.class, "out").check(ROTA);
    noClasses().should().accessField(System.class, "err").check(ROTA);
    noClasses().should().callMethod(Throwable.class, "printStackTrace").check(ROTA);
    noClasses()
        .that()
        // It has a method that returns a logger.
        .areNotAssignableTo(DataSource.class)
        .and()
        // The one way to it, for applications without a provider of SLF4J.
        .doNotHaveFullyQualifiedName("dev.rota.internal.log.PlatformLog")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("java.util.logging..")
        .check(ROTA);
    fields()
        .that()
        .haveRawType(Logger.class)
        .should()
        .bePrivate()
        .andShould()
        .beStatic()
        .andShould()
        .beFinal()
        .check(ROTA);
  }

  /** What blocks there waits for ever where the common pool has one thread. */
  @Test
  void nothingRunsInTheCommonPoolUnawares() {
    for (JavaClasses classes : List.of(ROTA, TESTS)) {
      noClasses()
          .should()
          .callMethod(CompletableFuture.class, "supplyAsync", Supplier.class)
          .orShould()
          .callMethod(CompletableFuture.class, "runAsync", Runnable.class)
          .check(classes);
    }
  }

  @Test
  void theApiIsInterfacesAndValues() {
    List<String> open =
        ROTA.stream()
            .filter(type -> !type.getPackageName().contains("internal") && !type.isInterface())
            .filter(type -> !Modifier.isFinal(type.reflect().getModifiers()))
            .map(JavaClass::getSimpleName)
            .toList();
    assertThat(open).containsExactly("RotaException");
  }

  private static ArchCondition<JavaCodeUnit> haveNothingInternalInTheirSignature() {
    return new ArchCondition<>("have nothing internal in their signature") {
      @Override
      public void check(JavaCodeUnit method, ConditionEvents events) {
        DescribedPredicate<JavaClass> internal = resideInAPackage(INTERNAL);
        boolean seen =
            !method.getModifiers().contains(JavaModifier.PRIVATE)
                && (internal.test(method.getRawReturnType())
                    || method.getRawParameterTypes().stream().anyMatch(internal)
                    || method.getExceptionTypes().stream().anyMatch(internal));
        if (seen) {
          events.add(SimpleConditionEvent.violated(method, method.getDescription()));
        }
      }
    };
  }
}
