package dev.rota.crash.points;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.sql.Sql;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * Finds the names that sources give to their calls to the database. A name is the text that comes
 * first where a statement is defined, or a call is made. Sources are parsed, and not resolved.
 */
final class CallNames extends TreeScanner<@Nullable Void, Set<String>> {

  private static final String TEMPLATE = Sql.class.getSimpleName();
  private static final String CALL = BoundStatement.class.getSimpleName();

  /** The method that takes a statement from a file, which has its name. */
  private static final String NAMED = TEMPLATE + ".named";

  /** Methods that take such a name first and another argument behind it, of any class. */
  private static final Set<String> MAKERS = Set.of("execute", "ending", "roundTrip");

  /** The values of constants by their names in the compilation unit. */
  private final Map<String, String> constants = new HashMap<>();

  private CallNames() {}

  /** Finds the names in all sources of these folders. */
  static Set<String> in(Path... folders) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    Set<String> names = new TreeSet<>();
    try (StandardJavaFileManager files =
        compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  null,
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjectsFromPaths(sources(folders)));
      for (CompilationUnitTree unit : task.parse()) {
        unit.accept(new CallNames(), names);
      }
    }
    return names;
  }

  private static List<Path> sources(Path... folders) throws IOException {
    List<Path> sources = new ArrayList<>();
    for (Path folder : folders) {
      try (Stream<Path> files = Files.walk(folder)) {
        files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
      }
    }
    return sources;
  }

  @Override
  public @Nullable Void visitVariable(VariableTree variable, Set<String> names) {
    String text = text(variable.getInitializer());
    if (text != null) {
      constants.put(variable.getName().toString(), text);
    }
    return super.visitVariable(variable, names);
  }

  @Override
  public @Nullable Void visitNewClass(NewClassTree made, Set<String> names) {
    if (made.getIdentifier().toString().equals(TEMPLATE)) {
      addFirst(made.getArguments(), names);
    }
    return super.visitNewClass(made, names);
  }

  @Override
  public @Nullable Void visitMethodInvocation(MethodInvocationTree call, Set<String> names) {
    ExpressionTree method = call.getMethodSelect();
    if (method instanceof MemberSelectTree member) {
      boolean ofCall = member.getExpression().toString().equals(CALL);
      if (call.getMethodSelect().toString().equals(NAMED)) {
        names.add(Sql.named(String.valueOf(text(call.getArguments().get(0)))).call());
      } else if (ofCall || isMaker(member.getIdentifier().toString(), call)) {
        addFirst(call.getArguments(), names);
      }
    } else if (isMaker(method.toString(), call)) {
      addFirst(call.getArguments(), names);
    }
    return super.visitMethodInvocation(call, names);
  }

  private static boolean isMaker(String method, MethodInvocationTree call) {
    return method.equals("before") || (MAKERS.contains(method) && call.getArguments().size() > 1);
  }

  private void addFirst(List<? extends ExpressionTree> arguments, Set<String> names) {
    String text = arguments.isEmpty() ? null : text(arguments.get(0));
    if (text != null) {
      names.add(text);
    }
  }

  /** The value of an expression; null if it is neither a text nor a constant that was seen. */
  private @Nullable String text(@Nullable ExpressionTree expression) {
    if (expression instanceof LiteralTree literal && literal.getValue() instanceof String value) {
      return value;
    }
    return expression instanceof IdentifierTree name
        ? constants.get(name.getName().toString())
        : null;
  }
}
