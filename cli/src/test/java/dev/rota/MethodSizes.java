package dev.rota;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Reads the sizes of methods and constructors from source files, by the parser of the compiler. */
final class MethodSizes extends TreePathScanner<Void, CompilationUnitTree> {

  private final SourcePositions positions;
  private final List<Method> methods = new ArrayList<>();
  private final List<Constructor> constructors = new ArrayList<>();

  /** A method or constructor with a body, from its first modifier to its last brace. */
  record Method(String name, int lines) {}

  /** A constructor; that of a record has a parameter for each component. */
  record Constructor(String name, int parameters) {}

  private MethodSizes(SourcePositions positions) {
    this.positions = positions;
  }

  /** Parses these files. */
  static MethodSizes of(Collection<Path> files) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null, manager, null, null, null, manager.getJavaFileObjectsFromPaths(files));
      MethodSizes sizes = new MethodSizes(Trees.instance(task).getSourcePositions());
      task.parse().forEach(unit -> sizes.scan(unit, unit));
      return sizes;
    }
  }

  List<Method> methods() {
    return methods;
  }

  List<Constructor> constructors() {
    return constructors;
  }

  @Override
  public Void visitClass(ClassTree type, CompilationUnitTree unit) {
    if (type.getKind() == Tree.Kind.RECORD) {
      long components = type.getMembers().stream().filter(MethodSizes::isComponent).count();
      constructors.add(new Constructor(nameOf(unit, type.getSimpleName()), (int) components));
    }
    return super.visitClass(type, unit);
  }

  /** A record can have no other fields that are not static. */
  private static boolean isComponent(Tree member) {
    return member instanceof VariableTree field
        && !field.getModifiers().getFlags().contains(Modifier.STATIC);
  }

  @Override
  public Void visitMethod(MethodTree method, CompilationUnitTree unit) {
    if (method.getReturnType() == null) {
      constructors.add(
          new Constructor(nameOf(unit, method.getName()), method.getParameters().size()));
    }
    if (method.getBody() != null) {
      methods.add(new Method(nameOf(unit, method.getName()), lines(method, unit)));
    }
    return super.visitMethod(method, unit);
  }

  private int lines(Tree tree, CompilationUnitTree unit) {
    long first = unit.getLineMap().getLineNumber(positions.getStartPosition(unit, tree));
    long last = unit.getLineMap().getLineNumber(positions.getEndPosition(unit, tree));
    return (int) (last - first + 1);
  }

  private static String nameOf(CompilationUnitTree unit, CharSequence member) {
    String file = unit.getSourceFile().getName();
    return file.substring(file.lastIndexOf('/') + 1) + ": " + member;
  }
}
